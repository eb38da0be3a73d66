import type { DumpItem } from '@svc/contracts';

const MAX_ITEMS = 1000;
const MAX_BYTES = 4 * 1024 * 1024;

/** Approximate size of an item, in bytes. */
function sizeOf(item: DumpItem): number {
  switch (item.kind) {
    case 'record':
      return item.record.bytes.length;
    case 'run':
      return 1000 + item.run.events.length * 200;
    case 'content':
      return item.item.bytes.length;
    case 'meta':
      return item.value.length;
    default:
      return 1000;
  }
}

export interface Batch {
  readonly items: readonly DumpItem[];
  /** Approximate total size. */
  readonly bytes: number;
}

/** The items of a dump, in order, in batches whose size is suitable for writing. */
export async function* inBatches(items: AsyncIterable<DumpItem>): AsyncGenerator<Batch> {
  let batch: DumpItem[] = [];
  let bytes = 0;
  for await (const item of items) {
    batch.push(item);
    bytes += sizeOf(item);
    if (batch.length < MAX_ITEMS && bytes < MAX_BYTES) continue;
    yield { items: batch, bytes };
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield { items: batch, bytes };
}
