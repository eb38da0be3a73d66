import type { RunRow } from '@svc/sdk/store';
import { toBufferKey } from 'ordered-binary';
import type { RunCounts } from '../tables/run-counts.ts';
import { indexKeys } from '../tables/run-index.ts';
import { KeySet } from './key-set.ts';

/** Checks the rows, and the index and counts derived from them. */
export class RunEntries {
  /** The keys of the index that the rows require. */
  readonly index = new KeySet();
  readonly counts: RunCounts = {};
  is_damaged = false;

  /** Checks a run that has only started. Such runs are in no index. */
  started(key: Buffer, value: Buffer): void {
    this.#add(key, value, () => []);
  }

  entry(key: Buffer, value: Buffer): void {
    this.#add(key, value, indexKeys);
  }

  #add(key: Buffer, value: Buffer, indexOf: typeof indexKeys): void {
    const row = rowIn(value);
    if (typeof row?.run_id !== 'string' || !toBufferKey(row.run_id).equals(key)) {
      this.is_damaged = true;
      return;
    }
    for (const indexed of indexOf(row)) this.index.add(toBufferKey(indexed));
    this.counts[row.status] = (this.counts[row.status] ?? 0) + 1;
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

function rowIn(value: Buffer): RunRow | null {
  try {
    return JSON.parse(UTF8.decode(value));
  } catch {
    return null;
  }
}
