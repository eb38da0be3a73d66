import { isExact } from './exact-json.ts';

/** Limits for the JSON of one request or one answer, including JSON inside its strings. */
export interface JsonLimits {
  /** Objects, arrays, strings, numbers and constants. */
  readonly values: number;
  /** Members of objects. */
  readonly keys: number;
  /** Levels of nesting, counted separately for each text. */
  readonly depth: number;
}

/** Memory for a JSON value in addition to its text, including copies for guards, in bytes of text. */
export const JSON_VALUE_BYTES = 64;

export const JSON_LIMITS: JsonLimits = { values: 100_000, keys: 50_000, depth: 64 };

export type JsonExcess = 'too_many_values' | 'too_many_keys' | 'nested_too_deep';

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c] as const;
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d] as const;
const [SPACE, TAB, LINE_FEED, CARRIAGE_RETURN] = [0x20, 0x09, 0x0a, 0x0d] as const;

/** The limits are checked each time this many bytes have been counted. */
const STRIDE = 16_384;

const ENCODER = new TextEncoder();

/**
 * Counts the values, keys and levels of JSON in UTF-8 before it is parsed, from chunks as they arrive. It does not validate the JSON. For invalid
 * text, it counts at least as much as a parser builds before it finds the error. One counter may count several texts.
 */
export class JsonCounter {
  readonly #limits: JsonLimits;
  #values = 0;
  #keys = 0;
  #level = 0;
  #deepest = 0;
  #in_string = false;
  #escaped = false;
  /** True after an opening bracket, until its first token. */
  #is_empty = false;

  constructor(limits: JsonLimits = JSON_LIMITS) {
    this.#limits = limits;
  }

  /** Counts so far. */
  get values(): number {
    return this.#values;
  }

  /** The first exceeded limit, or null. */
  get excess(): JsonExcess | null {
    const { values, keys, depth } = this.#limits;
    if (this.#deepest > depth) return 'nested_too_deep';
    if (this.#values > values) return 'too_many_values';
    return this.#keys > keys ? 'too_many_keys' : null;
  }

  text(json: string): JsonExcess | null {
    this.begin();
    return this.push(ENCODER.encode(json));
  }

  /** Counts a parsed value and everything in it. The function is recursive: use it only for values with few levels. */
  value(json: unknown): JsonExcess | null {
    this.#values += 1;
    if (typeof json !== 'object' || json === null || isExact(json)) return this.excess;
    const members: readonly unknown[] = Array.isArray(json) ? json : Object.values(json);
    if (members !== json) this.#keys += members.length;
    for (const member of members) this.value(member);
    return this.excess;
  }

  /** Adds values and keys that were already parsed. */
  parsed(values: number, keys: number): JsonExcess | null {
    this.#values += values;
    this.#keys += keys;
    return this.excess;
  }

  /** Starts a new text. */
  begin(): void {
    this.#values += 1;
    this.#level = 0;
    this.#in_string = false;
    this.#escaped = false;
    this.#is_empty = false;
  }

  /** Counts the next chunk of the text, which may be split anywhere. Stops when a limit is exceeded. */
  push(piece: Uint8Array): JsonExcess | null {
    for (let from = 0; from < piece.length && this.excess === null; from += STRIDE)
      this.#count(piece.subarray(from, from + STRIDE));
    return this.excess;
  }

  /** Works on local variables, which halves the time of the loop. Each comma, and the first token in a bracket, counts as one value. */
  #count(piece: Uint8Array): void {
    let [values, keys, level, deepest] = [this.#values, this.#keys, this.#level, this.#deepest];
    let [inString, isEmpty] = [this.#in_string, this.#is_empty];
    for (let i = 0; i < piece.length; i += 1) {
      const byte = piece[i];
      if (inString) {
        i = this.#endOfString(piece, i);
        inString = i === piece.length;
        continue;
      }
      if (byte === SPACE || byte === TAB || byte === LINE_FEED || byte === CARRIAGE_RETURN) continue;
      if (isEmpty && byte !== CLOSE_ARRAY && byte !== CLOSE_OBJECT) values += 1;
      isEmpty = false;
      switch (byte) {
        case OPEN_ARRAY:
        case OPEN_OBJECT:
          level += 1;
          if (level > deepest) deepest = level;
          isEmpty = true;
          break;
        case CLOSE_ARRAY:
        case CLOSE_OBJECT:
          level -= 1;
          break;
        case COMMA:
          values += 1;
          break;
        case COLON:
          keys += 1;
          break;
        case QUOTE:
          inString = true;
          break;
        default:
          break;
      }
    }
    [this.#values, this.#keys, this.#level, this.#deepest] = [values, keys, level, deepest];
    [this.#in_string, this.#is_empty] = [inString, isEmpty];
  }

  /** The position of the closing quote, or the end of the chunk if the string continues. */
  #endOfString(piece: Uint8Array, from: number): number {
    let escaped = this.#escaped;
    let at = from;
    for (; at < piece.length; at += 1) {
      const byte = piece[at];
      if (escaped) escaped = false;
      else if (byte === BACKSLASH) escaped = true;
      else if (byte === QUOTE) break;
    }
    this.#escaped = escaped;
    return at;
  }
}
