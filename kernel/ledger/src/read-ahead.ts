import type { ReadRecord } from './record.ts';

/** Parses records in worker threads. */
export interface RecordReader {
  /** Number of batches in parallel. */
  readonly capacity: number;
  /** The parsed records, up to the first invalid one. Rejects on failure. */
  read(records: readonly Uint8Array[]): Promise<readonly ReadRecord[]>;
  close(): Promise<void>;
}

/** Up to this number of records, parsing them here is faster than starting a thread. */
const FEW_RECORDS = 2000;

/** A batch and its parsed records, from the first; empty if they were not parsed. */
type ReadBatch<B> = readonly [batch: B, read: readonly ReadRecord[]];

/**
 * Yields batches in order, with their records parsed in threads. Reads ahead only as many batches as the reader handles in parallel. Does not read
 * past a batch without records, because it may be large.
 * @param recordsOf the bytes of a batch's records: none, or one for each of its items
 * @param start creates the reader, once there are more than a few records
 * @throws errors of `batches`, after all earlier batches; errors of the reader
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
      // The rejection is handled when this batch's turn comes.
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

/** Yields an error of the batches as the last item. */
async function* withError<B>(batches: AsyncIterable<B>): AsyncGenerator<{ batch: B } | { error: unknown }> {
  try {
    for await (const batch of batches) yield { batch };
  } catch (error) {
    yield { error };
  }
}
