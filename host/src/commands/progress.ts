import type { WriteStream } from 'node:tty';

/** How much there is, where that is known. */
export interface Total {
  readonly of: 'records' | 'bytes';
  readonly count: number;
}

const FIRST_MS = 500;
const EVERY_MS = 100;
const WIDTH = 30;
const MB = 1_000_000;
const CLEAR = '\r\u001b[K';

/** A line on a terminal that tells how far a long work is; nothing anywhere else. */
export class Progress {
  readonly #stream: Pick<WriteStream, 'isTTY' | 'write'>;
  readonly #total: Total | null;
  readonly #started = performance.now();
  #next = FIRST_MS;
  #records = 0;
  #bytes = 0;

  constructor(stream: Pick<WriteStream, 'isTTY' | 'write'>, total: Total | null) {
    this.#stream = stream;
    this.#total = total;
  }

  advance(records: number, bytes: number): void {
    this.#records += records;
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
      this.#records > 0
        ? `${number(this.#records)} records, ${number(this.#records / seconds)}/s`
        : `${number(this.#bytes / MB)} MB, ${number(this.#bytes / MB / seconds)} MB/s`;
    if (this.#total === null) return rate;
    const done = this.#total.of === 'records' ? this.#records : this.#bytes;
    // A ledger that is being written grows meanwhile.
    const share = Math.min(1, done / Math.max(1, this.#total.count));
    const filled = Math.round(share * WIDTH);
    const left = Math.ceil((seconds * (1 - share)) / share);
    return `[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${Math.floor(share * 100)} %  ${rate}, ${left} s left`;
  }
}

function number(count: number): string {
  return Math.round(count).toLocaleString('en');
}
