/** What is told of a leaf: a string, a key or a number, and where it stands, in positions. */
export type LeafFound = (kind: 'argument' | 'key', isNumber: boolean, text: string, path: string) => void;

const [QUOTE, COMMA, MINUS, ZERO, NINE, BACKSLASH] = [0x22, 0x2c, 0x2d, 0x30, 0x39, 0x5c] as const;
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d] as const;

/** Goes once through a text that is known to be JSON of few levels, and writes it in one form: without white space and needless escapes. */
export class ArgumentScan {
  readonly written: string;
  /** Where each leaf stands in the written text: start and end, one pair after the other. */
  readonly spans: number[] = [];
  /** An object has a key twice: what was found is to be thrown away. */
  repeats = false;
  readonly #source: string;
  readonly #numbers: boolean;
  readonly #found: LeafFound;
  readonly #pieces: string[] = [];
  #length = 0;
  /** All before it is written. */
  #taken = 0;
  #at = 0;

  /** @param numbers whether numbers are leaves too */
  constructor(source: string, numbers: boolean, path: string, found: LeafFound) {
    this.#source = source;
    this.#numbers = numbers;
    this.#found = found;
    this.#value(path);
    this.#passSpace();
    this.#replace(this.#at, this.#at, '');
    this.written = this.#pieces.join('');
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
    if (this.#next() !== CLOSE_ARRAY) {
      for (let i = 0; ; i += 1) {
        this.#value(path, i);
        if (this.#next() !== COMMA) break;
        this.#at += 1;
      }
    }
    this.#at += 1;
  }

  #object(path: string): void {
    this.#at += 1;
    if (this.#next() !== CLOSE_OBJECT) {
      const keys = new Set<string>();
      for (let i = 0; ; i += 1) {
        this.#next();
        const key = this.#string('key', path, i);
        if (keys.has(key)) this.repeats = true;
        keys.add(key);
        this.#next();
        // The colon.
        this.#at += 1;
        this.#value(path, i);
        if (this.#next() !== COMMA) break;
        this.#at += 1;
      }
    }
    this.#at += 1;
  }

  #string(kind: 'argument' | 'key', path: string, index?: number): string {
    const start = this.#at;
    let escaped = false;
    let end = start + 1;
    for (let code = this.#source.charCodeAt(end); code !== QUOTE; code = this.#source.charCodeAt(end)) {
      if (code === BACKSLASH) escaped = true;
      end += code === BACKSLASH ? 2 : 1;
    }
    end += 1;
    this.#at = end;
    const written = escaped ? undefined : this.#source.slice(start + 1, end - 1);
    const text = written ?? (JSON.parse(this.#source.slice(start, end)) as string);
    const from = this.#place(start);
    if (escaped) this.#replace(start, end, JSON.stringify(text));
    this.spans.push(from, this.#place(end));
    this.#found(kind, false, text, childPath(path, index));
    return text;
  }

  /** A number or a constant. */
  #scalar(code: number, path: string, index?: number): void {
    const start = this.#at;
    while (this.#at < this.#source.length && !endsScalar(this.#source.charCodeAt(this.#at))) this.#at += 1;
    if (!this.#numbers || (code !== MINUS && (code < ZERO || code > NINE))) return;
    this.spans.push(this.#place(start), this.#place(this.#at));
    this.#found('argument', true, this.#source.slice(start, this.#at), childPath(path, index));
  }

  /** What comes after white space, which is not written. */
  #next(): number {
    this.#passSpace();
    return this.#source.charCodeAt(this.#at);
  }

  #passSpace(): void {
    const start = this.#at;
    while (isSpace(this.#source.charCodeAt(this.#at))) this.#at += 1;
    if (this.#at > start) this.#replace(start, this.#at, '');
  }

  /** Where a place of the source, of which nothing after it is written, stands in the written text. */
  #place(at: number): number {
    return this.#length + at - this.#taken;
  }

  #replace(start: number, end: number, text: string): void {
    const kept = this.#source.slice(this.#taken, start);
    this.#pieces.push(kept, text);
    this.#length += kept.length + text.length;
    this.#taken = end;
  }
}

function childPath(path: string, index: number | undefined): string {
  return index === undefined ? path : `${path}.${index}`;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;
}

function endsScalar(code: number): boolean {
  return code === COMMA || code === CLOSE_ARRAY || code === CLOSE_OBJECT || isSpace(code);
}
