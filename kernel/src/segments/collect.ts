import type { ChatCompletion, ChatRequest } from '../contracts/index.ts';
import { isKnownField, isName, isStructural, isToolArguments, opaqueKind } from './fields.ts';
import { type Leaf, Payload } from './payload.ts';
import { decodeArguments, plainText } from './tool-arguments.ts';

/**
 * Collects a request's text. The request is changed by later edits, and its tool-call arguments are written in one form at once.
 * @throws {ArgumentsTooDeep}
 */
export function collectRequest(request: ChatRequest): Payload {
  const roles = request.messages.map((message) => message.role);
  return new Collector('request').collect(request, roles);
}

/** Collects an answer's text. See {@link collectRequest}. */
export function collectCompletion(completion: ChatCompletion): Payload {
  return new Collector('answer').collect(completion, null);
}

interface Position {
  /** The path with `*` for indexes and `?` for keys that callers chose, as the field lists have it. */
  readonly pattern: string;
  /** The path as guards and events see it. */
  readonly path: string;
  readonly holder: number | null;
}

type Write = (text: string) => void;

class Collector {
  readonly #of: 'request' | 'answer';
  readonly #payload = new Payload();

  constructor(of: 'request' | 'answer') {
    this.#of = of;
  }

  collect(root: ChatRequest | ChatCompletion, roles: readonly string[] | null): Payload {
    this.#payload.roles = roles;
    this.#object(root, { pattern: '', path: '', holder: null });
    return this.#payload;
  }

  #value(value: unknown, at: Position, write: Write): void {
    if (typeof value === 'string') this.#string(value, at, write);
    else if (Array.isArray(value)) this.#array(value, at);
    else if (typeof value === 'object' && value !== null) this.#object(value, at);
  }

  #array(array: unknown[], at: Position): void {
    for (const [i, item] of array.entries()) {
      const child = { pattern: step(at.pattern, '*'), path: step(at.path, i), holder: at.holder ?? holderAt(at.pattern, i) };
      this.#value(item, child, (text) => {
        array[i] = text;
      });
    }
  }

  /** Keys that nobody but the caller (or the model) chose are text too. */
  #object(object: object, at: Position): void {
    const members = Object.entries(object).map(([key, value]: [string, unknown]) => ({ key, stored: key, value }));
    let renamed = false;
    for (const [i, member] of members.entries()) {
      const known = isKnownField(member.key);
      const path = step(at.path, known ? member.key : i);
      if (!known) {
        this.#payload.leaves.push({ text: member.key, kind: 'key', path, holder: at.holder, write: rename(member) });
      }
      this.#value(member.value, { pattern: step(at.pattern, known ? member.key : '?'), path, holder: at.holder }, (text) => {
        member.value = text;
        define(object, member.stored, text);
      });
    }
    function rename(member: { key: string }): Write {
      return (text) => {
        member.key = text;
        renamed = true;
      };
    }
    this.#payload.onFlush(() => {
      if (!renamed) return;
      renamed = false;
      for (const { stored } of members) Reflect.deleteProperty(object, stored);
      for (const member of members) {
        member.stored = member.key;
        define(object, member.stored, member.value);
      }
    });
  }

  #string(text: string, at: Position, write: Write): void {
    if (isStructural(this.#of, at.pattern, text)) return;
    if (isToolArguments(at.pattern)) {
      this.#arguments(text, at, write);
      return;
    }
    const opaque = opaqueKind(at.pattern, text);
    if (opaque !== null) this.#payload.skipped.push({ path: at.path, why: opaque.why });
    if (opaque?.readable === false) return;
    const kind = opaque !== null ? 'url' : isName(at.pattern) ? 'name' : 'text';
    this.#payload.leaves.push({ text, kind, path: at.path, holder: at.holder, write });
  }

  /** Leaf by leaf where the arguments are JSON, else one text. Either way they are written in one form. */
  #arguments(text: string, { path, holder }: Position, write: Write): void {
    const decoded = decodeArguments(text);
    if (decoded === null) {
      const shown = plainText(text);
      write(shown);
      this.#payload.leaves.push({ text: shown, kind: 'text', path, holder, write });
      return;
    }
    write(decoded.encode());
    let changed = false;
    for (const leaf of decoded.leaves) {
      const change: Write = (edited) => {
        leaf.text = edited;
        changed = true;
      };
      const found: Leaf = { text: leaf.text, kind: leaf.kind, path: [path, ...leaf.path].join('.'), holder, write: change };
      this.#payload.leaves.push(found);
    }
    // Written once for all edits of a node: once for each would take the square of their number.
    this.#payload.onFlush(() => {
      if (changed) write(decoded.encode());
      changed = false;
    });
  }
}

function define(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

function holderAt(pattern: string, index: number): number | null {
  return pattern === 'messages' || pattern === 'choices' ? index : null;
}

function step(path: string, part: string | number): string {
  return path === '' ? String(part) : `${path}.${part}`;
}
