import type { ReadRecord } from './record.ts';

/** Reads records elsewhere, in threads. */
export interface RecordReader {
  /** Batches that it reads at once. */
  readonly capacity: number;
  /** What the records say, up to the first that is not what a record must be. Rejects where that cannot be told. */
  read(records: readonly Uint8Array[]): Promise<readonly ReadRecord[]>;
  close(): Promise<void>;
}

/** So many records are read sooner here than a thread has started. */
const FEW_RECORDS = 2000;

/** A batch, and what the first of its records say; empty where they were not read. */
type ReadBatch<B> = readonly [batch: B, read: readonly ReadRecord[]];

/**
 * Gives batches in their order, with what was read of their records elsewhere. Only as many are asked for ahead as the reader reads at once, and
 * none while one without records waits: that may be large.
 * @param recordsOf the bytes of a batch's records, none or one for each of its items
 * @param start makes the reader, once there are more than a few records
 * @throws what `batches` throws, after all that came before it; what the reader rejects with
 */
export async function* readAhead<B>(
  batches: AsyncIterable<B>,
  recordsOf: (batch: B) => readonly Uint8Array[],
  start: () => Promise<RecordReader>,
): AsyncGenerator<ReadBatch<B>> {
  const ahead: Promise<ReadBatch<B>>[] = [];
  let reader: RecordReader | null = null;
  let count = 0;
  let end: { readonly error: unknown } | null = null;
  try {
    for await (const next of withError(batches)) {
      if ('error' in next) {
        end = next;
        break;
      }
      const records = recordsOf(next.batch);
      count += records.length;
      if (count > FEW_RECORDS) reader ??= await start();
      const [reading, room] = reader && records.length > 0 ? [reader.read(records), reader.capacity - 1] : [[], 0];
      const read = Promise.resolve(reading).then((read) => [next.batch, read] as const);
      // Whether it was rejected is seen when its turn comes.
      read.catch(() => undefined);
      ahead.push(read);
      yield* ahead.splice(0, ahead.length - room);
    }
    yield* ahead;
    if (end !== null) throw end.error;
  } finally {
    await reader?.close();
  }
}

/** Their error is the last that they give. */
async function* withError<B>(batches: AsyncIterable<B>): AsyncGenerator<{ batch: B } | { error: unknown }> {
  try {
    for await (const batch of batches) yield { batch };
  } catch (error) {
    yield { error };
  }
}
