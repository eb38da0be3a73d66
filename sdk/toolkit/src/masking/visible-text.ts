/**
 * Matches invisible characters that occur in copied values or are inserted to hide a value: soft hyphens, zero-width spaces and joiners, direction
 * marks, fillers, variation selectors, tags.
 */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}+/gu;
const ANY = new RegExp(INVISIBLE.source, 'u');

/** The text without invisible characters. */
export function visible(text: string): string {
  return ANY.test(text) ? text.replace(INVISIBLE, '') : text;
}

/** A place where invisible characters were removed. */
interface Hidden {
  /** Offset in the visible text. */
  readonly at: number;
  /** Total number of invisible code units before that offset. */
  readonly count: number;
}

/** The visible characters of a streamed text, and their offsets in the original text. */
export class VisibleText {
  readonly #hidden: Hidden[] = [];
  #length = 0;
  #count = 0;

  /** Takes the next piece. @returns its visible part */
  take(text: string): string {
    if (!ANY.test(text)) {
      this.#length += text.length;
      return text;
    }
    let seen = '';
    let from = 0;
    for (const { index, 0: run } of text.matchAll(INVISIBLE)) {
      seen += text.slice(from, index);
      from = index + run.length;
      this.#count += run.length;
      this.#hidden.push({ at: this.#length + seen.length, count: this.#count });
    }
    seen += text.slice(from);
    this.#length += seen.length;
    return seen;
  }

  /** The original offset of the visible character at this offset. At the end, the length of the original text so far. */
  written(offset: number): number {
    return offset + this.#before(offset);
  }

  /** The original offset of the end of this much visible text, before any invisible characters that follow. */
  writtenEnd(offset: number): number {
    return offset === 0 ? 0 : this.written(offset - 1) + 1;
  }

  /** Drops data before this offset. Later calls must not ask for it. */
  forget(offset: number): void {
    if (this.#hidden.length === 0) return;
    const known = this.#last(offset);
    if (known > 0) this.#hidden.splice(0, known);
  }

  #before(offset: number): number {
    if (this.#hidden.length === 0) return 0;
    return this.#hidden[this.#last(offset)]?.count ?? 0;
  }

  /** The last entry at or before an offset, by binary search. -1 if there is none. */
  #last(offset: number): number {
    let low = -1;
    for (let high = this.#hidden.length; high - low > 1; ) {
      const middle = (low + high) >> 1;
      if ((this.#hidden[middle]?.at ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low;
  }
}
