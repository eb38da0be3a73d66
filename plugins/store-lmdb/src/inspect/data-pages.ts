import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { type BigValue, bigValueOn, META_BYTES, type Meta, type Page, readMeta, readPage } from './page-format.ts';

/**
 * The pages of a `data.mdb` that is not being written, read as bytes: LMDB maps the file, and ends the process at a damaged or missing page.
 */
export class DataPages {
  readonly #file: number;
  readonly #size: number;
  readonly #used: Uint8Array;
  readonly meta: Meta;

  private constructor(file: number, size: number, meta: Meta) {
    this.#file = file;
    this.#size = size;
    this.meta = meta;
    this.#used = new Uint8Array(Math.floor(size / meta.page_size / 8) + 1);
  }

  /** Null if its two meta pages are not those of a database. */
  static open(path: string): DataPages | null {
    const file = openSync(path, 'r');
    const { size } = fstatSync(file);
    const meta = newestMeta(file);
    if (meta !== null) return new DataPages(file, size, meta);
    closeSync(file);
    return null;
  }

  close(): void {
    closeSync(this.#file);
  }

  /** How many of the pages that the meta page counts are in the file. */
  get pages(): number {
    return Math.min(this.meta.last_page + 1, Math.floor(this.#size / this.meta.page_size));
  }

  /** Whether the file ends before its last page. LMDB may leave out pages at the end that it does not use. */
  get is_short(): boolean {
    return this.pages <= this.meta.last_page;
  }

  /** Null if it is not this page, or the page is used in another place, too. */
  page(number: number): Page | null {
    const bytes = this.#take(number, 1);
    return bytes === null ? null : readPage(bytes, number, this.meta.txn);
  }

  bigValue(value: BigValue): Buffer | null {
    const bytes = this.#take(value.page, value.pages);
    return bytes === null ? null : bigValueOn(bytes, value, this.meta.txn);
  }

  /** Whether a page may be free: nothing was read from it, and it is not beyond the last page. */
  isFree(number: number): boolean {
    return number > 1 && number <= this.meta.last_page && !this.#isUsed(number);
  }

  #isUsed(number: number): boolean {
    return ((this.#used[number >> 3] ?? 0) & (1 << (number & 7))) !== 0;
  }

  #take(first: number, count: number): Buffer | null {
    // The first two are the meta pages.
    if (first < 2 || count < 1 || first + count > this.pages) return null;
    for (let number = first; number < first + count; number++) {
      if (this.#isUsed(number)) return null;
      this.#used[number >> 3] = (this.#used[number >> 3] ?? 0) | (1 << (number & 7));
    }
    const bytes = Buffer.allocUnsafe(count * this.meta.page_size);
    return readSync(this.#file, bytes, 0, bytes.length, first * this.meta.page_size) === bytes.length ? bytes : null;
  }
}

/** The meta page of the later transaction, as LMDB chooses it. Null if one of them is damaged: LMDB checks only the first. */
function newestMeta(file: number): Meta | null {
  const first = metaAt(file, 0, 0);
  const second = first === null ? null : metaAt(file, first.page_size, 1);
  if (first === null || second === null || second.page_size !== first.page_size) return null;
  return second.txn > first.txn ? second : first;
}

function metaAt(file: number, position: number, page: number): Meta | null {
  const bytes = Buffer.alloc(META_BYTES);
  return readSync(file, bytes, 0, bytes.length, position) < bytes.length ? null : readMeta(bytes, page);
}
