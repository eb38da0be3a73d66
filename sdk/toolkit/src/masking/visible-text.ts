/**
 * Characters that show nothing and may stand inside a value that was copied from a page or is to be hidden: soft hyphens, spaces and
 * joiners of no width, marks of direction, fillers, selectors of variants, tags.
 */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}+/gu;
const ANY = new RegExp(INVISIBLE.source, 'u');

/** The text without invisible characters. */
export function visible(text: string): string {
  return ANY.test(text) ? text.replace(INVISIBLE, '') : text;
}

/** Invisible characters up to a place. */
interface Hidden {
  /** Offset in the visible text. */
  readonly at: number;
  /** Code units that are invisible before what stands there. */
  readonly count: number;
}

/** What can be seen of a text that comes in pieces, and where that stands in the text as it was written. */
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

  /** Where the visible character at this offset stands in the written text; of the end, all that has come. */
  written(offset: number): number {
    return offset + this.#before(offset);
  }

  /** Where the visible text before this offset ends in the written text: before what is invisible there. */
  writtenEnd(offset: number): number {
    return offset === 0 ? 0 : this.written(offset - 1) + 1;
  }

  /** Drops data before this offset: later calls do not ask about it. */
  forget(offset: number): void {
    if (this.#hidden.length === 0) return;
    const known = this.#last(offset);
    if (known > 0) this.#hidden.splice(0, known);
  }

  #before(offset: number): number {
    if (this.#hidden.length === 0) return 0;
    return this.#hidden[this.#last(offset)]?.count ?? 0;
  }

  /** The last place at or before an offset, by halving; -1 if there is none. */
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
