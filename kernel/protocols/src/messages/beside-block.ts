import { type AnswerFrame, isObject, type JsonObject, type JsonValue } from '@svc/contracts';
import { says } from '../common/json-shapes.ts';
import { MESSAGES_FRAME } from './tables.ts';

/** Texts in the frames of a block that the final block does not contain: unknown fields and types, and values that were replaced. */
export function textsBeside(frames: readonly AnswerFrame[], block: JsonObject, written: string): JsonValue[] {
  const beside = new Beside(block);
  if (written !== '') beside.say(block.input);
  if (repeatsKeys(written)) beside.say(written);
  for (const frame of frames) beside.take(frame);
  return beside.said;
}

class Beside {
  readonly #values: Map<string, JsonValue>;
  readonly #said: JsonValue[] = [];
  /** Texts of unknown delta fields, each joined from its pieces. */
  readonly #joined = new Map<string, string>();

  constructor(block: JsonObject) {
    this.#values = new Map(Object.entries(block));
  }

  get said(): JsonValue[] {
    return [...this.#said, ...this.#joined.values()];
  }

  say(value: unknown): void {
    if (says(value)) this.#said.push(value as JsonValue);
  }

  take({ type: _, index: __, content_block: ___, delta, ...fields }: AnswerFrame): void {
    this.say(fields);
    if (!isObject(delta)) {
      this.say(delta);
      return;
    }
    const { type, ...grows } = delta;
    if (!isWord(type)) this.say(type);
    for (const [name, value] of Object.entries(grows)) if (!isTaken(type, name, value)) this.#grow(name, value);
  }

  #grow(name: string, value: JsonValue): void {
    const before = this.#values.get(name);
    const goesOn = typeof before === 'string' && typeof value === 'string';
    if (!goesOn) this.say(before);
    this.#values.set(name, goesOn ? before + value : value);
    if (typeof value === 'object') join(value, JSON.stringify([name]), this.#joined);
  }
}

/** Whether the text is also in a field of the block. */
function isTaken(type: unknown, name: string, value: JsonValue): boolean {
  if (type === 'input_json_delta') return name === 'partial_json' && typeof value === 'string';
  return type === 'citations_delta' && name === 'citation' && isObject(value);
}

function join(value: JsonValue, name: string, joined: Map<string, string>): void {
  if (typeof value === 'string') {
    const before = joined.get(name);
    joined.set(name, (before ?? '') + value);
  } else if (Array.isArray(value)) for (const [at, member] of value.entries()) join(member, `${name}.${at}`, joined);
  else if (isObject(value))
    for (const [key, member] of Object.entries(value)) join(member, `${name}.${JSON.stringify(key)}`, joined);
}

function isWord(type: JsonValue | undefined): boolean {
  return typeof type === 'string' && MESSAGES_FRAME.placeOf('delta.type').vocabulary.has(type);
}

/** Whether JSON has a duplicate key. Readers differ in whether they use its first or its last value. */
function repeatsKeys(written: string): boolean {
  let keys = 0;
  for (const [, isKey] of written.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)) if (isKey !== undefined) keys += 1;
  return keys > 0 && keys !== keysIn(parsed(written));
}

function parsed(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    return null;
  }
}

function keysIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce((sum: number, member) => sum + keysIn(member), own);
}
