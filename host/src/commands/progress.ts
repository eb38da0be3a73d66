import type { WriteStream } from 'node:tty';

/** The total amount, if known. */
export interface Total {
  readonly of: 'items' | 'bytes';
  readonly count: number;
}

const FIRST_MS = 500;
const EVERY_MS = 100;
const WIDTH = 30;
const MB = 1_000_000;
const CLEAR = '\r\u001b[K';

/** Shows the progress of long work on a terminal. Prints nothing elsewhere. */
export class Progress {
  readonly #stream: Pick<WriteStream, 'isTTY' | 'write'>;
  readonly #items: string;
  readonly #total: Total | null;
  readonly #started = performance.now();
  #next = FIRST_MS;
  #done = 0;
  #bytes = 0;

  /** @param items what is counted, such as `records` */
  constructor(stream: Pick<WriteStream, 'isTTY' | 'write'>, items: string, total: Total | null) {
    this.#stream = stream;
    this.#items = items;
    this.#total = total;
  }

  advance(items: number, bytes: number): void {
    this.#done += items;
    this.#bytes += bytes;
    const elapsed = performance.now() - this.#started;
    if (!this.#stream.isTTY || elapsed < this.#next) return;
    this.#next = elapsed + EVERY_MS;
    this.#stream.write(`${CLEAR}${this.#line(elapsed / 1000)}`);
  }

  end(): void {
    if (this.#next > FIRST_MS) this.#stream.write(CLEAR);
  }

  #line(seconds: number): string {
    const rate =
      this.#done > 0
        ? `${number(this.#done)} ${this.#items}, ${number(this.#done / seconds)}/s`
        : `${number(this.#bytes / MB)} MB, ${number(this.#bytes / MB / seconds)} MB/s`;
    if (this.#total === null) return rate;
    const done = this.#total.of === 'items' ? this.#done : this.#bytes;
    // A ledger in use may grow meanwhile.
    const share = Math.min(1, done / Math.max(1, this.#total.count));
    const filled = Math.round(share * WIDTH);
    const left = share === 0 ? '' : `, ${Math.ceil((seconds * (1 - share)) / share)} s left`;
    return `[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${Math.floor(share * 100)} %  ${rate}${left}`;
  }
}

function number(count: number): string {
  return Math.round(count).toLocaleString('en');
}
