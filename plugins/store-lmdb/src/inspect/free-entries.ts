import type { DataPages } from './data-pages.ts';

const WORD = 8;

/** LMDB's lists of free pages: the number of words, then page numbers; a negative word is the length of a block that begins at the next word. */
export class FreeEntries {
  readonly #lists: Buffer[] = [];

  entry(_transaction: Buffer, list: Buffer): void {
    this.#lists.push(list);
  }

  /** Whether none of them is in use, after all trees were walked. */
  areFree(pages: DataPages): boolean {
    return this.#lists.every((list) => isFree(list, pages));
  }
}

function isFree(list: Buffer, pages: DataPages): boolean {
  const words = Math.floor(list.length / WORD) - 1;
  if (words < 0) return false;
  const count = Number(list.readBigUInt64LE(0));
  if (count > words) return false;
  let length = 1;
  for (let i = 1; i <= count; i++) {
    const word = Number(list.readBigInt64LE(i * WORD));
    if (word < 0) {
      length = -word;
      continue;
    }
    if (length > pages.meta.last_page) return false;
    // A word of 0 is an empty slot.
    for (let page = word; word > 0 && page < word + length; page++) if (!pages.isFree(page)) return false;
    length = 1;
  }
  return true;
}
