import type { LogSink } from './log-sink.ts';

/** How long lines are collected. Readers do not notice it, and under load one system call writes many lines. */
const GATHER_MS = 50;
/** When this many bytes have gathered, they are written at once. */
const AT_ONCE = 32_768;
/** Maximum number of bytes in the queue. Further lines are lost. */
const MAX_WAITING = 16_777_216;
const NEWLINE = 10;

/** Writes log lines without waiting for their reader. If the reader is gone, or too many lines are queued, lines are dropped and counted. */
export class LogWriter {
  readonly #sink: LogSink;
  readonly #max_write: number;
  readonly #resumed: (lost: number) => void;
  #lines: Buffer[] = [];
  /** The rest of a partial write. */
  #rest: Buffer | null = null;
  #waiting = 0;
  #writing = false;
  #due = false;
  #gone = false;
  #lost = 0;
  /** Number of lost lines that no log line has reported yet. */
  #unreported = 0;
  #idle: (() => void)[] = [];

  /**
   * @param max_write maximum bytes of lines per write; a longer line is one write
   * @param resumed called when lines are accepted again after some were lost
   */
  constructor(sink: LogSink, max_write: number, resumed: (lost: number) => void) {
    this.#sink = sink;
    this.#max_write = max_write;
    this.#resumed = resumed;
    process.once('exit', () => this.#writeLast());
  }

  /** Number of lost lines. */
  get lost(): number {
    return this.#lost;
  }

  write(text: string): void {
    const line = Buffer.from(text);
    if (this.#gone || this.#waiting + line.length > MAX_WAITING) {
      this.#lose(1);
      return;
    }
    this.#lines.push(line);
    this.#waiting += line.length;
    if (this.#waiting >= AT_ONCE) this.#next();
    else if (!this.#due) {
      this.#due = true;
      setTimeout(() => {
        this.#due = false;
        this.#next();
      }, GATHER_MS).unref();
    }
  }

  /** Resolves when the queue is empty, or after the limit. */
  async flush(limit_ms: number): Promise<void> {
    this.#next();
    if (!this.#writing) return;
    await new Promise<void>((resolve) => {
      this.#idle.push(resolve);
      setTimeout(resolve, limit_ms);
    });
  }

  #next(): void {
    if (this.#writing) return;
    const chunk = this.#take();
    if (chunk === null) {
      for (const resolve of this.#idle.splice(0)) resolve();
      return;
    }
    this.#writing = true;
    this.#sink.write(chunk, (error, written) => {
      this.#writing = false;
      if (error === null) {
        this.#waiting -= written;
        this.#rest = written < chunk.length ? chunk.subarray(written) : null;
      } else this.#giveUp(chunk);
      this.#reportLost();
      this.#next();
    });
  }

  #take(): Buffer | null {
    if (this.#rest !== null) return this.#rest;
    let [bytes, count] = [0, 0];
    for (const { length } of this.#lines) {
      if (count > 0 && bytes + length > this.#max_write) break;
      bytes += length;
      count += 1;
    }
    return count === 0 ? null : Buffer.concat(this.#lines.splice(0, count), bytes);
  }

  /** The reader is gone. */
  #giveUp(chunk: Buffer): void {
    this.#gone = true;
    this.#lose(this.#lines.length + chunk.filter((byte) => byte === NEWLINE).length);
    this.#lines = [];
    this.#rest = null;
    this.#waiting = 0;
  }

  /** Called when queued lines were written. */
  #reportLost(): void {
    const lines = this.#unreported;
    if (this.#gone || lines === 0) return;
    this.#unreported = 0;
    this.#resumed(lines);
  }

  #lose(lines: number): void {
    this.#lost += lines;
    this.#unreported += lines;
  }

  /** Flushes the queue before an abrupt exit. Tries once. Does nothing if a write is pending, because that write may be hanging. */
  #writeLast(): void {
    if (this.#gone || this.#writing || this.#lines.length === 0) return;
    try {
      this.#sink.writeNow(Buffer.concat(this.#lines));
    } catch {
      // Nobody reads the log.
    }
  }
}
