import { hasLineFeed, SCALAR } from './json-size.ts';

/** Called for each leaf: a string, a key or a number, with its path. */
export type LeafFound = (kind: 'argument' | 'key', isNumber: boolean, text: string, path: string) => void;

const [QUOTE, COMMA, COLON, BACKSLASH, DIGITS_END] = [0x22, 0x2c, 0x3a, 0x5c, 0x39] as const;
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d] as const;
/** Python's constants, which `JSON.parse` rejects. */
const PYTHONS = /^(?:NaN|-?Infinity)$/;

/** Thrown to end the scan if the text is not JSON. */
class NotJson extends Error {}

/** A part of the source, from `start` to `end` (exclusive). */
export type Range = readonly [start: number, end: number];

export interface JsonScanOptions {
  /** Whether numbers are leaves too. */
  readonly numbers: boolean;
  /**
   * `normal`: without white space and unnecessary escapes. `verbatim`: unchanged; several values on separate lines, and Python's constants, are
   * allowed.
   */
  readonly form: 'normal' | 'verbatim';
}

/** Scans a text with few levels once, and writes it in the requested form. In `normal` form, it is as strict as `JSON.parse`. Creates no values. */
export class JsonScan {
  /** Where the leaves are in the written text: start and end of each. */
  readonly spans: number[] = [];
  /** Members of the source that are followed by another member with the same key. */
  readonly repeated: Range[] = [];
  readonly #source: string;
  readonly #options: JsonScanOptions;
  readonly #found: LeafFound;
  readonly #pieces: string[] = [];
  #length = 0;
  /** Everything before this offset has been written. */
  #taken = 0;
  #at = 0;

  constructor(source: string, options: JsonScanOptions, found: LeafFound) {
    this.#source = source;
    this.#options = options;
    this.#found = found;
  }

  /** @returns the written text; null if the source is not JSON */
  run(path: string): string | null {
    try {
      this.#lines(path);
    } catch (thrown) {
      if (thrown instanceof NotJson || thrown instanceof SyntaxError) return null;
      throw thrown;
    }
    if (this.#options.form === 'verbatim') return this.#source;
    this.#replace(this.#at, this.#at, '');
    return this.#pieces.join('');
  }

  /** Values on separate lines all have the same path. */
  #lines(path: string): void {
    this.#value(path);
    for (let end = this.#at; !Number.isNaN(this.#next()); end = this.#at) {
      if (this.#options.form === 'normal' || !hasLineFeed(this.#source, end, this.#at)) throw new NotJson();
      this.#value(path);
    }
  }

  #value(path: string, index?: number): void {
    const code = this.#next();
    if (code === OPEN_ARRAY) this.#array(childPath(path, index));
    else if (code === OPEN_OBJECT) this.#object(childPath(path, index));
    else if (code === QUOTE) this.#string('argument', path, index);
    else this.#scalar(code, path, index);
  }

  #array(path: string): void {
    this.#at += 1;
    if (this.#next() === CLOSE_ARRAY) this.#at += 1;
    else for (let i = 0; i === 0 || this.#hasMore(CLOSE_ARRAY); i += 1) this.#value(path, i);
  }

  #object(path: string): void {
    this.#at += 1;
    if (this.#next() === CLOSE_OBJECT) {
      this.#at += 1;
      return;
    }
    const places = new Map<string, number>();
    const starts: number[] = [];
    for (let i = 0; i === 0 || this.#hasMore(CLOSE_OBJECT); i += 1) {
      if (this.#next() !== QUOTE) throw new NotJson();
      starts.push(this.#at);
      const key = this.#string('key', path, i);
      const before = places.get(key);
      // Includes the comma after the member.
      if (before !== undefined) this.repeated.push([starts[before] ?? 0, starts[before + 1] ?? 0]);
      places.set(key, i);
      if (this.#next() !== COLON) throw new NotJson();
      this.#at += 1;
      this.#value(path, i);
    }
  }

  /** Whether another member follows. If not, the bracket is closed. */
  #hasMore(close: number): boolean {
    const code = this.#next();
    if (code !== COMMA && code !== close) throw new NotJson();
    this.#at += 1;
    return code === COMMA;
  }

  #string(kind: 'argument' | 'key', path: string, index?: number): string {
    const start = this.#at;
    const end = this.#endOfString();
    const inner = this.#source.slice(start + 1, end - 1);
    const escaped = inner.includes('\\');
    const text = escaped ? (JSON.parse(this.#source.slice(start, end)) as string) : inner;
    const from = this.#place(start);
    if (escaped) this.#replace(start, end, JSON.stringify(text));
    this.spans.push(from, this.#place(end));
    this.#found(kind, false, text, childPath(path, index));
    return text;
  }

  /** Skips a string. @returns the offset after it */
  #endOfString(): number {
    for (let at = this.#at + 1; at < this.#source.length; at += 1) {
      const code = this.#source.charCodeAt(at);
      if (code < 0x20) break;
      if (code === BACKSLASH) at += 1;
      if (code !== QUOTE) continue;
      this.#at = at + 1;
      return this.#at;
    }
    throw new NotJson();
  }

  /** A number or a constant. */
  #scalar(code: number, path: string, index?: number): void {
    const start = this.#at;
    SCALAR.lastIndex = start;
    if (!SCALAR.test(this.#source)) throw new NotJson();
    this.#at = SCALAR.lastIndex;
    const written = this.#source.slice(start, this.#at);
    const isPythons = PYTHONS.test(written);
    if (isPythons && this.#options.form === 'normal') throw new NotJson();
    // Constants begin with a letter, numbers with a digit or `-`.
    if (!this.#options.numbers || code > DIGITS_END || isPythons) return;
    this.spans.push(this.#place(start), this.#place(this.#at));
    this.#found('argument', true, plainNumber(written), childPath(path, index));
  }

  /** Skips white space, which is not written. Returns the next character, or NaN at the end. */
  #next(): number {
    const start = this.#at;
    let code = this.#source.charCodeAt(start);
    while (code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d) code = this.#source.charCodeAt(++this.#at);
    if (this.#at > start) this.#replace(start, this.#at, '');
    return code;
  }

  /** Maps an offset of the source to the written text. Everything before the offset must have been processed. */
  #place(at: number): number {
    return this.#length + at - this.#taken;
  }

  #replace(start: number, end: number, text: string): void {
    if (this.#options.form === 'verbatim') return;
    const kept = this.#source.slice(this.#taken, start);
    this.#pieces.push(kept, text);
    this.#length += kept.length + text.length;
    this.#taken = end;
  }
}

/** The digits of an integer, even if it is written as `4.1e3` or `4100.0`. Other numbers are returned unchanged. */
export function plainNumber(written: string): string {
  if (!/[.eE]/.test(written)) return written;
  const value = Number(written);
  return Number.isSafeInteger(value) ? String(value) : written;
}

function childPath(path: string, index: number | undefined): string {
  return index === undefined ? path : `${path}.${index}`;
}
