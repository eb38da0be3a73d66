/** Where the strings of a JSON text are. */
class JsonStrings {
  readonly #text: string;
  /** The start and the end of each string, quotes included. Empty if the text is not a JSON object or array. */
  readonly #ends: readonly (readonly [start: number, end: number])[];
  readonly #inner = new Map<number, JsonStrings>();

  constructor(text: string) {
    this.#text = text;
    this.#ends = isJson(text) ? endsOfStrings(text) : [];
  }

  /** How many nested JSON strings contain the offset. */
  depthAt(offset: number): number {
    const found = this.#ends.findLast(([start]) => start < offset);
    if (found === undefined || offset >= found[1]) return 0;
    const [start, end] = found;
    const inner = this.#inner.get(start) ?? new JsonStrings(decoded(this.#text.slice(start + 1, end - 1)));
    this.#inner.set(start, inner);
    return 1 + (inner.#ends.length === 0 ? 0 : inner.depthAt(decoded(this.#text.slice(start + 1, offset)).length));
  }
}

function isJson(text: string): boolean {
  if (!/^\s*[{[]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The strings of a valid JSON text. */
function endsOfStrings(text: string): (readonly [start: number, end: number])[] {
  const ends: (readonly [number, number])[] = [];
  let end = 0;
  for (let start = text.indexOf('"'); start >= 0; start = text.indexOf('"', end)) {
    end = start + 1;
    while (end < text.length && text.charAt(end) !== '"') end += text.charAt(end) === '\\' ? 2 : 1;
    end += 1;
    ends.push([start, end]);
  }
  return ends;
}

function decoded(content: string): string {
  try {
    return String(JSON.parse(`"${content}"`));
  } catch {
    return content;
  }
}

/** Each value costs time that is proportional to the text. */
const MAX_VALUES = 100;
/** Each level doubles the backslashes of a value. */
const MAX_DEPTH = 8;
/** Characters that must be escaped in a JSON string. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them in strings
const SPECIAL = /["\\\u0000-\u001f]/;

/**
 * Writes values into one text. Where the text is JSON, or JSON in a string of JSON, their quotes, backslashes and line breaks are escaped, so that it stays
 * valid.
 */
export class JsonEscapes {
  readonly #text: string;
  #strings: JsonStrings | null = null;
  #count = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The value as it must be written at this offset. Null if the text has too many such values or is nested too deeply. */
  at(offset: number, value: string): string | null {
    if (!SPECIAL.test(value)) return value;
    this.#count += 1;
    if (this.#count > MAX_VALUES) return null;
    this.#strings ??= new JsonStrings(this.#text);
    const depth = this.#strings.depthAt(offset);
    return depth > MAX_DEPTH ? null : escaped(value, depth);
  }
}

/** The value with as few escapes as are valid at this depth. A value that was found in JSON is already escaped. */
function escaped(value: string, depth: number): string {
  let written = value;
  for (let n = 0; n < depth && !isValid(written, depth); n++) written = JSON.stringify(written).slice(1, -1);
  return written;
}

/** Whether the content of a string can be decoded this many times. */
function isValid(content: string, depth: number): boolean {
  let text = content;
  try {
    for (let n = 0; n < depth; n++) text = String(JSON.parse(`"${text}"`));
    return true;
  } catch {
    return false;
  }
}
