import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { type BigValue, bigValueOn, META_BYTES, type Meta, type Page, readMeta, readPage } from './page-format.ts';

/**
 * The pages of a `data.mdb` that nobody writes to, read as bytes: LMDB maps the file, and ends the process where what it finds there is
 * damaged or not there.
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

  /** Null: its two meta pages are not those of a database. */
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

  /** Pages that the file holds, of those that its meta page counts. */
  get pages(): number {
    return Math.min(this.meta.last_page + 1, Math.floor(this.#size / this.meta.page_size));
  }

  /** Whether the file ends before its last page. LMDB may leave out pages at the end that it does not use. */
  get is_short(): boolean {
    return this.pages <= this.meta.last_page;
  }

  /** Null where it is not this page, or another place has it too. */
  page(number: number): Page | null {
    const bytes = this.#take(number, 1);
    return bytes === null ? null : readPage(bytes, number, this.meta.txn);
  }

  bigValue(value: BigValue): Buffer | null {
    const bytes = this.#take(value.page, value.pages);
    return bytes === null ? null : bigValueOn(bytes, value, this.meta.txn);
  }

  /** Whether a page may be written to: it is none that something was read from, nor beyond the last. */
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

/** Of both, the one of the later transaction, as LMDB takes it. Null where one of them is damaged: LMDB looks at the first alone. */
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
