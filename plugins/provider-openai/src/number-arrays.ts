import { type BodyReader, JsonText, malformed } from '@svc/toolkit/upstream';

const [QUOTE, BACKSLASH, OPEN, CLOSE] = [0x22, 0x5c, 0x5b, 0x5d] as const;

/** The bytes that numbers, and the white space around them, consist of. */
const OF_NUMBERS: ReadonlySet<number> = new Set(Buffer.from(' \t\n\r,+-.0123456789eE'));

/** Memory per number in an array of numbers. */
const NUMBER_BYTES = 8;
/** Maximum length of a number, including the white space around it. */
const MAX_NUMBER_LENGTH = 64;

export interface VectorLimits {
  readonly vectors: number;
  readonly dimensions: number;
  /** Limit in bytes for everything except arrays of numbers. */
  readonly text_bytes: number;
}

/**
 * Reads JSON as it arrives, and parses each array of numbers separately. An answer with 2,048 vectors has 60 to 100 MB of text, which must not be
 * kept or parsed as a whole. In the remaining text, a number replaces each array; {@link vector} returns the array for that number.
 */
export class NumberArrays implements BodyReader {
  readonly #limits: VectorLimits;
  readonly #rest = new JsonText();
  readonly #vectors: (readonly number[])[] = [];
  #in_string = false;
  #escaped = false;
  /** The current array, if it contains only numbers so far. Null outside an array. */
  #array: Buffer[] | null = null;
  #array_bytes = 0;
  #numbers = 0;
  #text_bytes = 0;
  #held = 0;

  constructor(limits: VectorLimits) {
    this.#limits = limits;
  }

  take(bytes: Buffer): number {
    for (let at = 0; at < bytes.length; ) {
      if (this.#array !== null) at = this.#inArray(bytes, at);
      else if (this.#in_string) at = this.#inString(bytes, at);
      else at = this.#outside(bytes, at);
    }
    return this.#held + this.#array_bytes + this.#numbers * NUMBER_BYTES;
  }

  text(): string {
    return this.#rest.text();
  }

  /** The array that this number replaced. Such a number is itself read from an array. */
  vector(index: number): readonly number[] | undefined {
    return this.#vectors[index];
  }

  #outside(bytes: Buffer, from: number): number {
    let at = from;
    while (at < bytes.length && bytes[at] !== QUOTE && bytes[at] !== OPEN) at += 1;
    if (at < bytes.length) {
      at += 1;
      if (bytes[at - 1] === QUOTE) this.#in_string = true;
      else this.#array = [];
    }
    this.#keep(bytes.subarray(from, at));
    return at;
  }

  #inString(bytes: Buffer, from: number): number {
    let at = from;
    for (; at < bytes.length; at += 1) {
      if (this.#escaped) this.#escaped = false;
      else if (bytes[at] === BACKSLASH) this.#escaped = true;
      else if (bytes[at] === QUOTE) break;
    }
    if (at < bytes.length) {
      at += 1;
      this.#in_string = false;
    }
    this.#keep(bytes.subarray(from, at));
    return at;
  }

  /** Reads the text after an opening bracket: numbers up to the closing one, or other text. */
  #inArray(bytes: Buffer, from: number): number {
    let at = from;
    while (at < bytes.length && OF_NUMBERS.has(bytes[at] ?? 0)) at += 1;
    const piece = bytes.subarray(from, at);
    this.#array?.push(piece);
    this.#array_bytes += piece.length;
    if (this.#array_bytes > this.#limits.dimensions * MAX_NUMBER_LENGTH) throw malformed('a vector that is too long');
    if (at === bytes.length) return at;
    const written = Buffer.concat(this.#array ?? []);
    this.#array = null;
    this.#array_bytes = 0;
    this.#keep(bytes[at] === CLOSE && written.toString('latin1').trim() !== '' ? this.#parsed(written) : written);
    return at;
  }

  /** @returns the number that replaces the array */
  #parsed(written: Buffer): Buffer {
    const { vectors, dimensions } = this.#limits;
    if (this.#vectors.length === vectors) throw malformed('more vectors than texts');
    const vector = numbersIn(written);
    if (vector.length > dimensions) throw malformed('a vector that is too long');
    this.#numbers += vector.length;
    return Buffer.from(String(this.#vectors.push(vector) - 1));
  }

  #keep(bytes: Buffer): void {
    this.#text_bytes += bytes.length;
    if (this.#text_bytes > this.#limits.text_bytes) throw malformed('an answer that is too long');
    // Copied, because a slice would keep the whole chunk in memory.
    this.#held = this.#rest.take(Buffer.from(bytes));
  }
}

function numbersIn(written: Buffer): number[] {
  try {
    return JSON.parse(`[${written.toString('latin1')}]`) as number[];
  } catch {
    throw malformed('a vector with a value that is not a number');
  }
}
