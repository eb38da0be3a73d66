import {
  exactDigits,
  type FieldTable,
  JSON_LIMITS,
  JsonCounter,
  type JsonExcess,
  type Protocol,
  type RequestBody,
  strictestOrigin,
  type TextOrigin,
} from '@svc/contracts';
import type { Admit } from '@svc/kernel/ports';
import { fitsQuantity, markOf } from '@svc/protocols';
import { type FieldPattern, patternAt, rootPattern } from './field-pattern.ts';
import { IdHome } from './id-home.ts';
import { plainNumber } from './json-scan.ts';
import { isJsonScalar, sizeOfJson } from './json-size.ts';
import { JsonText } from './json-text.ts';
import type { Leaf, LeafHome } from './leaf.ts';
import { MemberHome, SignedHome } from './member-home.ts';
import { Payload } from './payload.ts';
import { plainText } from './plain-text.ts';
import { shownAs } from './shown-text.ts';

/** A request or answer has more JSON than may be scanned, in its own structure or in the texts of tools. */
export class TooMuchJson extends Error {
  override readonly name = 'TooMuchJson';
  readonly excess: JsonExcess;

  constructor(excess: JsonExcess) {
    super(excess);
    this.excess = excess;
  }
}

/** There is not enough memory for this much JSON now. */
export class NoRoomForJson extends Error {
  override readonly name = 'NoRoomForJson';
}

const ALWAYS: Admit = () => true;

/**
 * Collects a request's texts. Later edits change the request.
 * @param numbers whether numbers are also collected
 * @throws {TooMuchJson | NoRoomForJson}
 */
export function collectRequest(
  protocol: Protocol,
  request: RequestBody,
  numbers = true,
  counter = new JsonCounter(),
  admit: Admit = ALWAYS,
): Payload {
  return new Collector(protocol.request, numbers, counter, admit).collect(request, protocol.rolesOf(request));
}

/**
 * Collects the texts of an answer, or of a part of one. See {@link collectRequest}.
 * @param path path of the part in a complete answer, such as `content.2`
 */
export function collectTable(table: FieldTable, value: object, numbers = true, admit: Admit = ALWAYS, path = ''): Payload {
  const payload = new Collector(table, numbers, new JsonCounter(), admit).collect(value, null, path);
  payload.isOneAnswer = table.holder === '';
  return payload;
}

/** The place of a value: its pattern in the table, its path for guards and events, and the index of the turn or answer that contains it. */
interface Location {
  readonly pattern: FieldPattern;
  readonly path: string;
  readonly holder: number | null;
  /** The role of the value, if it differs from that of its turn. */
  readonly role: string | null;
  /** The origin of the turn or part that contains it, if its type or a mark says more than its role. */
  readonly origin: TextOrigin | null;
  /** The object or array that holds the value. */
  readonly within: object;
}

class Collector {
  readonly #pattern: FieldPattern;
  readonly #numbers: boolean;
  readonly #counter: JsonCounter;
  readonly #admit: Admit;
  readonly #payload = new Payload();
  /** The places of each tool-call id. */
  readonly #ids = new Map<string, IdHome>();

  constructor(table: FieldTable, numbers: boolean, counter: JsonCounter, admit: Admit) {
    this.#pattern = rootPattern(table);
    this.#numbers = numbers;
    this.#counter = counter;
    this.#admit = admit;
  }

  collect(root: object, roles: readonly string[] | null, path = ''): Payload {
    this.#payload.roles = roles;
    this.#object(root, { pattern: patternAt(this.#pattern, path), path, holder: null, role: null, origin: null, within: root });
    return this.#payload;
  }

  /** Visits a value. A value that cannot contain text was counted before, and is not visited. */
  #value(value: unknown, at: Location, home: LeafHome, slot: string | number): void {
    if (typeof value === 'string') this.#string(value, at, home, slot);
    else if (typeof value === 'number') this.#number(String(value), at, home, slot);
    else if (Array.isArray(value)) this.#array(value, at);
    else if (value !== null) {
      const digits = exactDigits(value);
      if (digits === null) this.#object(value as object, at);
      else if (this.#numbers && isRead(digits, at.pattern)) this.#number(digits, at, home, slot);
    }
  }

  #array(array: readonly unknown[], { pattern, path, holder, role, origin }: Location): void {
    if (array.length === 0) return;
    this.#count(array.length, 0);
    const home = new MemberHome(array);
    const { items } = pattern;
    for (let i = 0; i < array.length; i += 1) {
      const item = array[i];
      if (!items.mayHoldText(item, this.#numbers)) continue;
      const child = {
        pattern: items,
        path: step(path, i),
        holder: holder ?? (pattern.holds ? i : null),
        // Each turn has its own role.
        role: items.facts.role ?? (pattern.holds ? null : role),
        origin,
        within: array,
      };
      this.#value(item, child, home, i);
    }
  }

  /** Keys that the caller or the model chose are also text. */
  #object(object: object, { pattern, path, holder, role, origin: outer }: Location): void {
    const keys = Object.keys(object);
    if (keys.length === 0) return;
    const { originOf } = pattern.facts;
    const own = originOf === null ? outer : strictestOrigin(outer, originOf(object));
    const origin = pattern.isMarkable ? strictestOrigin(own, markOf(object)) : own;
    this.#count(keys.length, keys.length);
    const home = pattern.facts.isSigned
      ? new SignedHome(object, pattern.member('signature').facts.isEssential)
      : new MemberHome(object);
    for (let i = 0; i < keys.length; i += 1) {
      const key = keys[i] ?? '';
      const member = pattern.member(key);
      const { isChosen } = member;
      const at = {
        pattern: member,
        path: step(path, isChosen ? i : key),
        holder,
        role: member.facts.role ?? role,
        origin,
        within: object,
      };
      if (isChosen) this.#leaf(key, 'key', at, home, key);
      const value: unknown = Reflect.get(object, key);
      if (member.mayHoldText(value, this.#numbers)) this.#value(value, at, home, key);
    }
  }

  #string(text: string, at: Location, home: LeafHome, slot: string | number): void {
    const { pattern, path } = at;
    const { isToolArguments, isToolInput, idKind, isName, opaqueKind } = pattern.facts;
    if (isToolInput) {
      this.#nested(this.#leafOf(text, 'argument', at, home, slot));
      return;
    }
    if (isToolArguments) {
      this.#arguments(text, at, home, slot);
      return;
    }
    const opaque = opaqueKind === null ? null : opaqueKind(text, at.within);
    if (opaque !== null) this.#payload.skipped.push({ path, why: opaque.why });
    if (opaque?.readable === false) return;
    if (idKind !== null) {
      this.#id(text, at, home, slot);
      return;
    }
    const kind = opaque !== null ? 'url' : isName ? 'name' : 'text';
    const leaf = this.#leafOf(text, kind, at, home, slot);
    if (kind === 'text' && this.#mayBeJson(at)) this.#decoded(leaf);
    else this.#payload.leaves.push(leaf);
  }

  /** Whether a string may be JSON that the reader receives unchanged. */
  #mayBeJson({ pattern, holder, role }: Location): boolean {
    const { json } = pattern.facts;
    if (json !== 'tool' || holder === null) return json === 'anyone';
    const speaker = role ?? this.#payload.roles?.[holder];
    return speaker === 'tool' || speaker === 'function';
  }

  /** If a guard edits the id of a tool call, the id changes in all its places. */
  #id(text: string, at: Location, home: LeafHome, slot: string | number): void {
    const leaf = this.#leafOf(text, 'id', at, home, slot);
    if (at.pattern.facts.idKind === 'other') {
      this.#payload.leaves.push(leaf);
      return;
    }
    const places = this.#ids.get(text) ?? new IdHome();
    this.#ids.set(text, places);
    this.#payload.leaves.push(places.add(leaf));
  }

  /** Guards see a number in the form in which it is sent. */
  #number(digits: string, at: Location, home: LeafHome, slot: string | number): void {
    const kind = at.pattern.facts.isToolInput ? 'argument' : 'text';
    this.#payload.leaves.push({ ...this.#leafOf(digits, kind, at, home, slot), is_number: true });
  }

  /** Collects tool-call arguments: each value if they are JSON, otherwise the whole text. In both cases, the text is normalised. */
  #arguments(text: string, at: Location, home: LeafHome, slot: string | number): void {
    const whole = this.#leafOf(text, 'text', at, home, slot);
    // Text that does not begin with a bracket has at most one value.
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

  /** Collects a text that is not inside a JSON string: each value if the text is JSON, otherwise the whole text. */
  #decoded(whole: Leaf): void {
    if (isJsonScalar(whole.text)) this.#payload.leaves.push(shownAs(plainNumber(whole.text.trim()), whole, JSON.stringify));
    else this.#nested(whole);
  }

  /**
   * Scans JSON in a JSON string if it is an object, an array or a string. In any other text, guards see escapes decoded, because it may be part of
   * JSON, or contain JSON after a sentence.
   */
  #nested(whole: Leaf): void {
    const size = whole.is_number ? null : sizeOfJson(whole.text);
    // The scan stops at the limit of values, so the text may still be JSON.
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

  #leaf(text: string, kind: Leaf['kind'], at: Location, home: LeafHome, slot: string | number): void {
    this.#payload.leaves.push(this.#leafOf(text, kind, at, home, slot));
  }

  #leafOf(text: string, kind: Leaf['kind'], at: Location, home: LeafHome, slot: string | number): Leaf {
    const { path, holder, role, pattern, within } = at;
    const is_thinking = pattern.facts.isThinking?.(within) ?? false;
    const origin = strictestOrigin(at.origin, pattern.facts.origin);
    return { text, kind, is_number: false, path, holder, role, is_thinking, origin, home, slot };
  }

  #count(values: number, keys: number): void {
    const excess = this.#counter.parsed(values, keys);
    if (excess !== null) throw new TooMuchJson(excess);
  }
}

/** Whether guards see a number that keeps its digits. For other numbers, see {@link FieldPattern.mayHoldText}. */
function isRead(digits: string, { facts }: FieldPattern): boolean {
  return !facts.isOwn && !(facts.isQuantity && fitsQuantity(digits));
}

function step(path: string, part: string | number): string {
  return path === '' ? String(part) : `${path}.${part}`;
}
