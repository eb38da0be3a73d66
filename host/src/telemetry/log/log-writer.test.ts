import { expect, it, vi } from 'vitest';
import type { LogSink } from './log-sink.ts';
import { LogWriter } from './log-writer.ts';

/** A sink whose writes stay in progress until the test settles them. */
class HeldSink implements LogSink {
  readonly taken: string[] = [];
  #settle: ((error: Error | null, written?: number) => void) | null = null;
  #begun = Promise.withResolvers<void>();

  write(bytes: Buffer, done: (error: Error | null, written: number) => void): void {
    expect(this.#settle).toBeNull();
    this.#settle = (error, written = bytes.length) => {
      this.#settle = null;
      if (error === null) this.taken.push(bytes.toString('utf8', 0, written));
      done(error, written);
    };
    this.#begun.resolve();
  }

  writeNow(): void {
    throw new Error('nobody takes it');
  }

  /** Waits for a write and settles it. */
  async settle(error: Error | null = null, written?: number): Promise<void> {
    if (this.#settle === null) await this.#begun.promise;
    this.#begun = Promise.withResolvers();
    this.#settle?.(error, written);
  }
}

const GONE = Object.assign(new Error('gone'), { code: 'EPIPE' });

it('writes lines that arrive during a write, and nothing after the end', async () => {
  const sink = new HeldSink();
  const writer = new LogWriter(sink, 100, () => undefined);
  writer.write('first\n');
  const flushed = writer.flush(60_000);
  writer.write('second\n');
  writer.write('third\n');
  await sink.settle();
  await sink.settle();
  await flushed;
  expect(sink.taken).toEqual(['first\n', 'second\nthird\n']);
});

it('keeps lines whole in a write, and continues after a partial write', async () => {
  const sink = new HeldSink();
  const writer = new LogWriter(sink, 10, () => undefined);
  for (const line of ['12345\n', '6789\n', 'longer than a write\n']) writer.write(line);
  const flushed = writer.flush(60_000);
  await sink.settle(null, 2);
  for (let n = 0; n < 3; n += 1) await sink.settle();
  await flushed;
  expect(sink.taken).toEqual(['12', '345\n', '6789\n', 'longer than a write\n']);
});

it('keeps at most 16 MiB while nobody reads, counts lost lines, and reports them to the next reader', async () => {
  const sink = new HeldSink();
  const resumed = vi.fn<(lines: number) => void>();
  const writer = new LogWriter(sink, 16_384, resumed);
  const line = `${'x'.repeat(1_048_575)}\n`;
  for (let n = 0; n < 20; n += 1) writer.write(line);
  expect(writer.lost).toBe(4);
  await sink.settle();
  expect(resumed.mock.calls).toEqual([[4]]);
});

it('drops everything once its reader is gone, and a flush does not wait', async () => {
  const sink = new HeldSink();
  const writer = new LogWriter(sink, 100, () => expect.unreachable());
  writer.write('one\n');
  writer.write('two\n');
  const flushed = writer.flush(60_000);
  writer.write('three\n');
  await sink.settle(GONE);
  await flushed;
  writer.write('four\n');
  await writer.flush(60_000);
  expect(writer.lost).toBe(4);
});

it('ends a flush within its time limit', async () => {
  const writer = new LogWriter(new HeldSink(), 100, () => undefined);
  writer.write('one\n');
  await writer.flush(10);
});
