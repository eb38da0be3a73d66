import { describe, expect, it } from 'vitest';
import { type RecordReader, readAhead } from './read-ahead.ts';
import type { ReadRecord } from './record.ts';

const CAPACITY = 3;
const SIZE = 1000;

/** A placeholder for the parsed records of a batch. */
const readOf = (batch: number): ReadRecord[] => [{ place: { seq: batch, prev_hash: '', hash: '' }, model_id: '', run: null }];

/** Batches of records. The batches in `bare` have no records. `asked` counts the requested batches. */
class Source {
  asked = 0;
  isOver = false;
  readonly #count: number;
  readonly #bare: readonly number[];

  constructor(count: number, bare: readonly number[] = []) {
    this.#count = count;
    this.#bare = bare;
  }

  async *batches(error?: Error): AsyncGenerator<number> {
    try {
      for (; this.asked < this.#count; this.asked++) yield this.asked;
      if (error !== undefined) throw error;
    } finally {
      this.isOver = true;
    }
  }

  recordsOf = (batch: number): Uint8Array[] => (this.#bare.includes(batch) ? [] : Array(SIZE).fill(Uint8Array.of(batch)));
}

/** Resolves its reads in reverse order. So only the code under test can restore the order. */
class Reader implements RecordReader {
  readonly capacity = CAPACITY;
  readonly read_batches: number[] = [];
  isClosed = false;
  readonly #fails: number | null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(fails: number | null = null) {
    this.#fails = fails;
  }

  read([first]: readonly Uint8Array[]): Promise<readonly ReadRecord[]> {
    const batch = first?.[0] ?? 0;
    this.read_batches.push(batch);
    if (batch === this.#fails) return Promise.reject(new Error('a thread died'));
    const { promise, resolve } = Promise.withResolvers<readonly ReadRecord[]>();
    const before = this.#last;
    this.#last = promise;
    setImmediate(
      () => void (this.read_batches.at(-1) === batch ? resolve(readOf(batch)) : before.then(() => resolve(readOf(batch)))),
    );
    return promise;
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }
}

async function taken(
  source: Source,
  reader: Reader,
  error?: Error,
): Promise<{ batches: [number, number | undefined][]; error: unknown }> {
  const batches: [number, number | undefined][] = [];
  try {
    for await (const [batch, read] of readAhead(source.batches(error), source.recordsOf, async () => reader))
      batches.push([batch, read[0]?.place.seq]);
    return { batches, error: null };
  } catch (thrown) {
    return { batches, error: thrown };
  }
}

describe('batches', () => {
  it('arrive in order with their results, the first few without any', async () => {
    const reader = new Reader();
    const { batches } = await taken(new Source(9), reader);
    expect(batches).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8].map((batch) => [batch, batch < 2 ? undefined : batch]));
    expect(reader).toMatchObject({ read_batches: [2, 3, 4, 5, 6, 7, 8], isClosed: true });
  });

  it('with few records start no reading', async () => {
    const never = (): Promise<RecordReader> => Promise.reject(new Error('started'));
    const source = new Source(2);
    const seen: number[] = [];
    for await (const [batch] of readAhead(source.batches(), source.recordsOf, never)) seen.push(batch);
    expect(seen).toEqual([0, 1]);
  });

  it('are requested only as far ahead as they are read concurrently, and not ahead of an empty batch', async () => {
    const source = new Source(20, [8, 9, 10]);
    let most = 0;
    for await (const [batch] of readAhead(source.batches(), source.recordsOf, async () => new Reader())) {
      most = Math.max(most, source.asked - batch);
      if (batch >= 8 && batch <= 10) expect(source.asked).toBe(batch);
    }
    expect(most).toBe(CAPACITY - 1);
  });

  it('end when their consumer stops', async () => {
    const [source, reader] = [new Source(20), new Reader()];
    for await (const [batch] of readAhead(source.batches(), source.recordsOf, async () => reader)) if (batch === 5) break;
    expect([source.isOver, reader.isClosed, source.asked < 10]).toEqual([true, true, true]);
  });
});

describe('an error', () => {
  it('of the source comes after all earlier batches', async () => {
    const [error, reader] = [new Error('damaged'), new Reader()];
    const { batches, error: thrown } = await taken(new Source(6), reader, error);
    expect(batches).toHaveLength(6);
    expect([thrown, reader.isClosed]).toEqual([error, true]);
  });

  it('of the reader is thrown in place of its batch, and no batch follows', async () => {
    const [source, reader] = [new Source(9), new Reader(4)];
    const { batches, error } = await taken(source, reader);
    expect(batches.map(([batch]) => batch)).toEqual([0, 1, 2, 3]);
    expect(error).toMatchObject({ message: 'a thread died' });
    expect([source.isOver, reader.isClosed]).toEqual([true, true]);
  });
});
