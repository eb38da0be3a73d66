import { type ChatCompletion, type ChatRequest, JSON_LIMITS, JsonCounter, type JsonExcess } from '@svc/contracts';
import { type FieldPattern, rootPattern } from './field-pattern.ts';
import { IdHome } from './id-home.ts';
import { plainNumber } from './json-scan.ts';
import { isJsonScalar, sizeOfJson } from './json-size.ts';
import { JsonText } from './json-text.ts';
import type { Leaf, LeafHome } from './leaf.ts';
import { MemberHome, SignedHome } from './member-home.ts';
import { Payload } from './payload.ts';
import { plainText } from './plain-text.ts';
import { shownAs } from './shown-text.ts';

/** A request or an answer with more JSON than may be scanned, in its own structure or in the texts of tools. */
export class TooMuchJson extends Error {
  override readonly name = 'TooMuchJson';
  readonly excess: JsonExcess;

  constructor(excess: JsonExcess) {
    super(excess);
    this.excess = excess;
  }
}

/** There is no memory for so much JSON now. */
export class NoRoomForJson extends Error {
  override readonly name = 'NoRoomForJson';
}

/** Asked before JSON in a text is built: whether there is memory for all values so far. */
export type Admit = (values: number) => boolean;
const ALWAYS: Admit = () => true;

/**
 * Collects a request's text. Later edits change the request. Its tool-call arguments are normalised at once.
 * @param numbers whether numbers are leaves too
 * @throws {TooMuchJson | NoRoomForJson}
 */
export function collectRequest(
  request: ChatRequest,
  numbers = true,
  counter = new JsonCounter(),
  admit: Admit = ALWAYS,
): Payload {
  const roles = request.messages.map((message) => message.role);
  return new Collector('request', numbers, counter, admit).collect(request, roles);
}

/** Collects an answer's text. See {@link collectRequest}. */
export function collectCompletion(completion: ChatCompletion, numbers = true, admit: Admit = ALWAYS): Payload {
  return new Collector('answer', numbers, new JsonCounter(), admit).collect(completion, null);
}

/** Where a value stands: for the field lists, for guards and events, and the index of the message or choice that holds it. */
interface Location {
  readonly pattern: FieldPattern;
  readonly path: string;
  readonly holder: number | null;
}

class Collector {
  readonly #pattern: FieldPattern;
  readonly #numbers: boolean;
  readonly #counter: JsonCounter;
  readonly #admit: Admit;
  readonly #payload = new Payload();
  /** The places of each tool-call id. */
  readonly #ids = new Map<string, IdHome>();

  constructor(of: 'request' | 'answer', numbers: boolean, counter: JsonCounter, admit: Admit) {
    this.#pattern = rootPattern(of);
    this.#numbers = numbers;
    this.#counter = counter;
    this.#admit = admit;
  }

  collect(root: ChatRequest | ChatCompletion, roles: readonly string[] | null): Payload {
    this.#payload.roles = roles;
    this.#object(root, { pattern: this.#pattern, path: '', holder: null });
    return this.#payload;
  }

  /** Only values that hold text are entered; others are only counted. */
  #value(value: unknown, at: Location, home: LeafHome, slot: string | number): void {
    if (typeof value === 'string') this.#string(value, at, home, slot);
    else if (typeof value === 'number') this.#number(value, at, home, slot);
    else if (Array.isArray(value)) this.#array(value, at);
    else if (value !== null) this.#object(value as object, at);
  }

  #array(array: readonly unknown[], { pattern, path, holder }: Location): void {
    if (array.length === 0) return;
    this.#count(array.length, 0);
    const home = new MemberHome(array);
    const { items } = pattern;
    for (let i = 0; i < array.length; i += 1) {
      const item = array[i];
      if (!items.mayHoldText(item, this.#numbers)) continue;
      const child = { pattern: items, path: step(path, i), holder: holder ?? (pattern.holds ? i : null) };
      this.#value(item, child, home, i);
    }
  }

  /** Keys that the caller or the model chose are text too. */
  #object(object: object, { pattern, path, holder }: Location): void {
    const keys = Object.keys(object);
    if (keys.length === 0) return;
    this.#count(keys.length, keys.length);
    const home = pattern.facts.isSigned ? new SignedHome(object) : new MemberHome(object);
    for (let i = 0; i < keys.length; i += 1) {
      const key = keys[i] ?? '';
      const member = pattern.member(key);
      if (member.isChosen) this.#leaf(key, 'key', { path: step(path, i), holder }, home, key);
      const value: unknown = Reflect.get(object, key);
      if (!member.mayHoldText(value, this.#numbers)) continue;
      this.#value(value, { pattern: member, path: step(path, member.isChosen ? i : key), holder }, home, key);
    }
  }

  #string(text: string, at: Location, home: LeafHome, slot: string | number): void {
    const { pattern, path } = at;
    const { isToolArguments, idKind, isName, opaqueKind } = pattern.facts;
    if (isToolArguments) {
      this.#arguments(text, at, home, slot);
      return;
    }
    const opaque = opaqueKind === null ? null : opaqueKind(text);
    if (opaque !== null) this.#payload.skipped.push({ path, why: opaque.why });
    if (opaque?.readable === false) return;
    if (idKind !== null) {
      this.#id(text, at, home, slot);
      return;
    }
    const kind = opaque !== null ? 'url' : isName ? 'name' : 'text';
    const leaf: Leaf = { text, kind, is_number: false, path, holder: at.holder, home, slot };
    if (kind === 'text' && this.#mayBeJson(at)) this.#decoded(leaf);
    else this.#payload.leaves.push(leaf);
  }

  /** Whether a string may be JSON that its reader gets unchanged. */
  #mayBeJson({ pattern, holder }: Location): boolean {
    const { json } = pattern.facts;
    if (json !== 'tool' || holder === null) return json === 'anyone';
    const role = this.#payload.roles?.[holder];
    return role === 'tool' || role === 'function';
  }

  /** All places of one tool-call id change together. */
  #id(text: string, { pattern, path, holder }: Location, home: LeafHome, slot: string | number): void {
    const leaf: Leaf = { text, kind: 'id', is_number: false, path, holder, home, slot };
    if (pattern.facts.idKind === 'other') {
      this.#payload.leaves.push(leaf);
      return;
    }
    const places = this.#ids.get(text) ?? new IdHome();
    this.#ids.set(text, places);
    this.#payload.leaves.push(places.add(leaf));
  }

  /** As it is sent: JSON writes the number as this text. */
  #number(value: number, at: Location, home: LeafHome, slot: string | number): void {
    const { path, holder } = at;
    const text = String(value);
    this.#payload.leaves.push({ text, kind: 'text', is_number: true, path, holder, home, slot });
  }

  /** Leaf by leaf if the arguments are JSON, otherwise one text. In both cases they are normalised. */
  #arguments(text: string, { path, holder }: Location, home: LeafHome, slot: string | number): void {
    const whole: Leaf = { text, kind: 'text', is_number: false, path, holder, home, slot };
    // Text that does not begin with a bracket is one value at most.
    const excess = /^[ \t\n\r]*[[{]/.test(text) ? this.#counter.text(text) : null;
    if (excess !== null) throw new TooMuchJson(excess);
    this.#admitCounted();
    const read = JsonText.read(whole, { numbers: this.#numbers, form: 'normal' });
    if (read !== null) {
      for (const leaf of read.leaves) this.#nested(leaf);
      return;
    }
    whole.text = plainText(text);
    home.write(whole);
    this.#payload.leaves.push(whole);
  }

  /** A text outside of JSON strings: leaf by leaf if it is JSON, otherwise one text. */
  #decoded(whole: Leaf): void {
    if (isJsonScalar(whole.text)) this.#payload.leaves.push(shownAs(plainNumber(whole.text.trim()), whole, JSON.stringify));
    else this.#nested(whole);
  }

  /**
   * JSON in a JSON string is scanned if it is an object, an array or a string. In other text, escapes are shown as the characters they stand
   * for: it may be a piece of JSON, or contain some after a sentence.
   */
  #nested(whole: Leaf): void {
    const size = whole.is_number ? null : sizeOfJson(whole.text);
    // Beyond the limit of values the scan stops: it may still be JSON.
    if (size !== null && (size.is_json || size.values > JSON_LIMITS.values)) this.#count(size.values, size.keys);
    if (!size?.is_json) {
      const plain = plainText(whole.text);
      this.#payload.leaves.push(plain === whole.text ? whole : shownAs(plain, whole, (edited) => edited));
      return;
    }
    if (size.depth > JSON_LIMITS.depth) throw new TooMuchJson('nested_too_deep');
    this.#admitCounted();
    const read = JsonText.read(whole, { numbers: this.#numbers, form: 'verbatim' });
    if (read === null) this.#payload.leaves.push(whole);
    else for (const leaf of read.leaves) this.#nested(leaf);
  }

  #admitCounted(): void {
    if (!this.#admit(this.#counter.values)) throw new NoRoomForJson();
  }

  #leaf(text: string, kind: Leaf['kind'], at: Pick<Leaf, 'path' | 'holder'>, home: LeafHome, slot: string | number): void {
    this.#payload.leaves.push({ text, kind, is_number: false, path: at.path, holder: at.holder, home, slot });
  }

  #count(values: number, keys: number): void {
    const excess = this.#counter.parsed(values, keys);
    if (excess !== null) throw new TooMuchJson(excess);
  }
}

function step(path: string, part: string | number): string {
  return path === '' ? String(part) : `${path}.${part}`;
}
