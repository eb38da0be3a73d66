import { type DumpItem, type LedgerHead, type RunStatus, StoreError } from '@svc/sdk/store';
import { assertChained, checkStoreName, inBatches } from '@svc/toolkit/store';
import { putContent } from './content.ts';
import { counterBook } from './counters.ts';
import { putLeaseToken } from './leases.ts';
import { clearAll, type Databases, isEmpty } from './tables/databases.ts';
import { assertFree, putRecords, putSessionHead } from './tables/ledger.ts';
import { putCounts } from './tables/run-counts.ts';
import { updateRunIndex } from './tables/run-index.ts';
import { markLoading, markPresent } from './tables/schema.ts';

/** As {@link Writer.write}. */
type Write = <T>(bytes: number, action: () => T) => Promise<T>;

/** The state of a load. */
class Loading {
  head: LedgerHead | null = null;
  readonly counts: Partial<Record<RunStatus, number>> = {};
}

/** Call it inside a write. */
function put(dbs: Databases, loading: Loading, item: DumpItem): void {
  const { state } = dbs;
  switch (item.kind) {
    case 'record': {
      assertChained(loading.head, [item.record]);
      // The record may have been committed while the items arrived.
      assertFree(dbs, [item.record]);
      putRecords(dbs, [item.record]);
      loading.head = item.record;
      return;
    }
    case 'session':
      putSessionHead(state, item.head);
      return;
    case 'run': {
      const { run } = item;
      dbs.runs.putSync(run.run_id, JSON.stringify(run));
      updateRunIndex(dbs.runIndex, null, run);
      loading.counts[run.status] = (loading.counts[run.status] ?? 0) + 1;
      return;
    }
    case 'unique_key':
      state.putSync(['unique', item.key], item.run_id);
      return;
    case 'content':
      putContent(dbs, item.run_id, item.item);
      return;
    case 'counter':
      counterBook(state).putCounter(item.key, item.row);
      return;
    case 'reservation':
      counterBook(state).putReservation(item.id, item.row);
      return;
    case 'lease':
      putLeaseToken(state, item.name, item.token);
      return;
    case 'cursor':
      state.putSync(['cursor', item.name], String(item.seq));
      return;
    case 'meta':
      state.putSync(['meta', item.key], item.value);
      return;
  }
}

/** Refuses names that another store allows but this one cannot store. */
function checkNames(item: DumpItem): void {
  switch (item.kind) {
    case 'record':
      return;
    case 'run':
      for (const field of ['run_id', 'created_at', 'route', 'principal_id', 'owner'] as const) {
        checkStoreName(field, item.run[field]);
      }
      if (item.run.session !== undefined) checkStoreName('session', item.run.session);
      return;
    case 'session':
      checkStoreName(item.kind, item.head.key);
      return;
    case 'unique_key':
    case 'counter':
    case 'meta':
      checkStoreName(item.kind, item.key);
      return;
    case 'content':
      checkStoreName('content name', item.item.name);
      return;
    case 'reservation':
      checkStoreName('reservation', item.id);
      return;
    case 'lease':
    case 'cursor':
      checkStoreName(item.kind, item.name);
      return;
  }
}

/**
 * Uses many writes, because a write cannot wait for items. Meanwhile the folder is marked as half loaded. A process that opens it in this state finds
 * it empty.
 * @throws {StoreError} `NOT_EMPTY`, `CHAIN`, `NAME`
 */
export async function loadItems(dbs: Databases, write: Write, folder: string, items: AsyncIterable<DumpItem>): Promise<void> {
  if (!isEmpty(dbs)) throw new StoreError('NOT_EMPTY', `${folder} is not empty: choose a new folder`);
  await write(0, () => markLoading(dbs.env));
  try {
    const loading = new Loading();
    for await (const { items: batch, bytes } of inBatches(items)) {
      for (const item of batch) checkNames(item);
      await write(2 * bytes, () => {
        for (const item of batch) put(dbs, loading, item);
      });
    }
    await write(0, () => {
      putCounts(dbs.state, loading.counts);
      markPresent(dbs.env);
    });
  } catch (error) {
    await write(0, () => undefined).then(
      () => clearAll(dbs),
      // Writes are no longer possible. The next process that opens the folder cleans up.
      () => undefined,
    );
    throw error;
  }
}
