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

  /** In how many strings of JSON the offset is, one inside the other. */
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
/** What has another meaning in a string of JSON, or none. */
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

  /** The value as it must be written at this offset. Null if the text has more such values, or is deeper, than is escaped. */
  at(offset: number, value: string): string | null {
    if (!SPECIAL.test(value)) return value;
    this.#count += 1;
    if (this.#count > MAX_VALUES) return null;
    this.#strings ??= new JsonStrings(this.#text);
    const depth = this.#strings.depthAt(offset);
    return depth > MAX_DEPTH ? null : escaped(value, depth);
  }
}

/** A value with the fewest escapes that are valid at this depth: a value that was found in JSON has its escapes already. */
function escaped(value: string, depth: number): string {
  let written = value;
  for (let n = 0; n < depth && !isValid(written, depth); n++) written = JSON.stringify(written).slice(1, -1);
  return written;
}

/** Whether a content of a string can be decoded as often as this. */
function isValid(content: string, depth: number): boolean {
  let text = content;
  try {
    for (let n = 0; n < depth; n++) text = String(JSON.parse(`"${text}"`));
    return true;
  } catch {
    return false;
  }
}
