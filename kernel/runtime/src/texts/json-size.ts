import { JSON_LIMITS } from '@svc/contracts';

/** How much JSON a text contains, up to its first syntax error. */
export interface JsonSize {
  /** Whether the whole text is JSON, or JSON values on separate lines. */
  readonly is_json: boolean;
  /** Objects, arrays, strings, numbers and constants. */
  readonly values: number;
  /** Members of objects. */
  readonly keys: number;
  /** Levels of nesting. */
  readonly depth: number;
}

const [TAB, LINE_FEED, CARRIAGE_RETURN, SPACE] = [0x09, 0x0a, 0x0d, 0x20] as const;
const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c] as const;
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d] as const;
/** Numbers and constants. The last two constants are Python's. */
export const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|NaN|-?Infinity/y;
const WHOLE_SCALAR = new RegExp(String.raw`^[ \t\n\r]*(?:${SCALAR.source})[ \t\n\r]*$`);
const STRUCTURED = /^[ \t\n\r]*["[{]/;

/** Whether a text is a single number or constant. */
export function isJsonScalar(text: string): boolean {
  return text.length <= MAX_SCALAR && WHOLE_SCALAR.test(text);
}

/** Longer texts are treated as text. */
const MAX_SCALAR = 1000;

/**
 * Measures a JSON object, array or string, or several values on separate lines. Null if the text does not begin like one. As strict as `JSON.parse`,
 * except for Python's constants. Supports any depth. Stops at the first syntax error, or when there are more values than a request may have. Creates
 * no values.
 */
export function sizeOfJson(text: string): JsonSize | null {
  return STRUCTURED.test(text) ? new JsonSizer(text).size() : null;
}

/** What is allowed next. `end`: the character that closes the innermost bracket. */
type Next = 'value' | 'value or end' | 'key' | 'key or end' | 'comma or end';

class JsonSizer {
  readonly #text: string;
  /** The closing characters of all open brackets. */
  readonly #open: number[] = [];
  #next: Next = 'value';
  #at = 0;
  #values = 0;
  #keys = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  size(): JsonSize {
    const is_json = this.#run();
    return { is_json, values: this.#values, keys: this.#keys, depth: this.#depth };
  }

  #run(): boolean {
    for (;;) {
      do {
        this.#at = afterSpace(this.#text, this.#at);
        if (this.#values > JSON_LIMITS.values || !this.#step(this.#text.charCodeAt(this.#at))) return false;
      } while (this.#open.length > 0);
      const next = afterSpace(this.#text, this.#at);
      if (next === this.#text.length) return true;
      if (!hasLineFeed(this.#text, this.#at, next)) return false;
      this.#next = 'value';
    }
  }

  /** Reads the token that begins here. @returns whether it is allowed here */
  #step(code: number): boolean {
    if (code === this.#open.at(-1) && this.#next.endsWith('or end')) {
      this.#open.pop();
      return this.#take(this.#at + 1, 'comma or end');
    }
    switch (this.#next) {
      case 'comma or end':
        return code === COMMA && this.#take(this.#at + 1, this.#open.at(-1) === CLOSE_OBJECT ? 'key' : 'value');
      case 'key':
      case 'key or end':
        return this.#key();
      case 'value':
      case 'value or end':
        return this.#value(code);
    }
  }

  #key(): boolean {
    this.#keys += 1;
    const end = endOfString(this.#text, this.#at);
    if (end === null) return false;
    const colon = afterSpace(this.#text, end);
    return this.#text.charCodeAt(colon) === COLON && this.#take(colon + 1, 'value');
  }

  #value(code: number): boolean {
    this.#values += 1;
    if (code !== OPEN_ARRAY && code !== OPEN_OBJECT) {
      const end = code === QUOTE ? endOfString(this.#text, this.#at) : endOfScalar(this.#text, this.#at);
      return end !== null && this.#take(end, 'comma or end');
    }
    this.#depth = Math.max(this.#depth, this.#open.push(code === OPEN_ARRAY ? CLOSE_ARRAY : CLOSE_OBJECT));
    return this.#take(this.#at + 1, code === OPEN_ARRAY ? 'value or end' : 'key or end');
  }

  #take(to: number, next: Next): true {
    this.#at = to;
    this.#next = next;
    return true;
  }
}

function afterSpace(text: string, from: number): number {
  for (let at = from; ; at += 1) {
    const code = text.charCodeAt(at);
    if (code !== SPACE && code !== LINE_FEED && code !== CARRIAGE_RETURN && code !== TAB) return at;
  }
}

/** Whether the values before and after this white space are on separate lines. */
export function hasLineFeed(text: string, start: number, end: number): boolean {
  return text.slice(start, end).includes('\n');
}

function endOfScalar(text: string, from: number): number | null {
  SCALAR.lastIndex = from;
  return SCALAR.test(text) ? SCALAR.lastIndex : null;
}

/** The offset after a string. Null if there is no valid string. */
function endOfString(text: string, from: number): number | null {
  if (text.charCodeAt(from) !== QUOTE) return null;
  for (let at = from + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code < SPACE) return null;
    if (code !== BACKSLASH) continue;
    const escaped = lengthOfEscape(text, at + 1);
    if (escaped === 0) return null;
    at += escaped;
  }
  return null;
}

/** The length of an escape without its backslash. 0 if it is not a valid escape. */
function lengthOfEscape(text: string, at: number): number {
  if (text.charAt(at) !== 'u') return '"\\/bfnrt'.includes(text.charAt(at) || ' ') ? 1 : 0;
  return /^[0-9a-fA-F]{4}$/.test(text.slice(at + 1, at + 5)) ? 5 : 0;
}
