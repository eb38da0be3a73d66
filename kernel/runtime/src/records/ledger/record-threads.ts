import { availableParallelism } from 'node:os';
import type { ReadRecord, RecordReader } from '@svc/ledger';
import { Piscina } from 'piscina';
import type { RecordBatch } from './read-records.ts';

/** The main thread checks the order of the records, and cannot keep more threads busy. */
const MAX_THREADS = 8;
/** One batch is being read while the other waits in the thread. */
const BATCHES_OF_THREAD = 2;

/** Reads records in threads. All of them are started at once, and none is replaced. If one dies, every pending and later read fails. */
export class RecordThreads implements RecordReader {
  readonly capacity: number;
  readonly #threads: Piscina;
  readonly #died = Promise.withResolvers<never>();

  constructor(threads = Math.min(availableParallelism(), MAX_THREADS), filename = import.meta.resolve('#read-records')) {
    this.capacity = threads * BATCHES_OF_THREAD;
    // The capacity is enough for all requested batches: a task in piscina's own queue is lost if a thread dies (5.3.2).
    this.#threads = new Piscina({
      filename,
      minThreads: threads,
      maxThreads: threads,
      concurrentTasksPerWorker: BATCHES_OF_THREAD,
      idleTimeout: Number.POSITIVE_INFINITY,
    }).on('error', this.#died.reject);
    this.#died.promise.catch(() => undefined);
  }

  async read(records: readonly Uint8Array[]): Promise<readonly ReadRecord[]> {
    const batch = joined(records);
    const transferList = [batch.bytes.buffer, batch.ends.buffer];
    try {
      return JSON.parse(await Promise.race([this.#died.promise, this.#threads.run(batch, { transferList })]));
    } catch (cause) {
      throw new Error('a thread that reads records failed', { cause });
    }
  }

  async close(): Promise<void> {
    await this.#threads.destroy();
  }
}

/** A copy, because the batch is transferred to the thread. */
function joined(
  records: readonly Uint8Array[],
): RecordBatch & { bytes: Uint8Array<ArrayBuffer>; ends: Uint32Array<ArrayBuffer> } {
  const bytes = new Uint8Array(records.reduce((sum, { length }) => sum + length, 0));
  const ends = new Uint32Array(records.length);
  let at = 0;
  records.forEach((record, index) => {
    bytes.set(record, at);
    at += record.length;
    ends[index] = at;
  });
  return { bytes, ends };
}
