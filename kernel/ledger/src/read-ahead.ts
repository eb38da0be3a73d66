import type { ReadRecord } from './record.ts';

/** Parses records in worker threads. */
export interface RecordReader {
  /** How many batches it parses in parallel. */
  readonly capacity: number;
  /** The parsed records, up to the first invalid one. Rejects on failure. */
  read(records: readonly Uint8Array[]): Promise<readonly ReadRecord[]>;
  close(): Promise<void>;
}

/** Up to this number of records, starting a thread takes longer than parsing them here. */
const FEW_RECORDS = 2000;

/** A batch, and its records as parsed from the first on. Empty if they were not parsed. */
type ReadBatch<B> = readonly [batch: B, read: readonly ReadRecord[]];

/**
 * Yields batches in order, with their records parsed in threads. Reads ahead only as many batches as the reader handles in parallel. Does not read
 * past a batch without records, because such a batch may be large.
 * @param recordsOf returns the bytes of a batch's records: none, or one record for each item
 * @param start creates the reader when there are more than a few records
 * @throws errors of `batches`, after all earlier batches, and errors of the reader
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
      // Prevents an unhandled rejection. The error is thrown when this batch's turn comes.
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
