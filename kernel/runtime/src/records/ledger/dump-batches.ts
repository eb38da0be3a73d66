import type { DumpItem } from '@svc/contracts';

const MAX_ITEMS = 1000;
const MAX_BYTES = 1 << 20;

/** Groups the items of a dump into batches of one kind each, in order. If the dump fails, the items before the error are yielded first. */
export async function* dumpBatches(dump: AsyncIterable<DumpItem>): AsyncGenerator<readonly DumpItem[]> {
  let batch: DumpItem[] = [];
  let bytes = 0;
  try {
    for await (const item of dump) {
      const isFull = batch.length === MAX_ITEMS || bytes >= MAX_BYTES;
      if (batch.length > 0 && (isFull || batch[0]?.kind !== item.kind)) {
        yield batch;
        batch = [];
        bytes = 0;
      }
      batch.push(item);
      bytes += sizeOf(item);
    }
  } catch (error) {
    yield batch;
    throw error;
  }
  yield batch;
}

/** The size of items that may be large. Other items in a batch are limited by their number. */
function sizeOf(item: DumpItem): number {
  if (item.kind === 'record') return item.record.bytes.length;
  return item.kind === 'content' ? item.item.bytes.length : 0;
}
