import type { KeyTree } from './key-tree.ts';

/** What the keys of runs are wrapped with: kept outside the store and its backups. */
export interface ContentKeys {
  /** Wraps, and unwraps. May be another one after {@link forget}. */
  readonly newest: KeyTree;
  /** Those before it, which unwrap only. */
  readonly older: readonly KeyTree[];
  /**
   * Takes a run's leaf out of the newest key where that is kept, on disk when it resolves. Null where the key is the operator's, and the
   * gateway cannot change it.
   */
  readonly forget: ((run_id: string) => Promise<void>) | null;
}

/** Whether no key is left that reads a forgotten run in an old copy of the store. */
export function backupsUnreadable({ older, forget }: ContentKeys): boolean {
  return forget !== null && older.length === 0;
}
