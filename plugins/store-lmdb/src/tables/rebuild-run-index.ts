import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database, RootDatabase } from 'lmdb';
import { type IndexedFields, type RunIndex, updateRunIndex } from './run-index.ts';
import { markIndexing, markPresent, SCHEMA, SCHEMA_KEY } from './schema.ts';

/** Rows of one transaction: few enough for its changed pages to stay in memory. */
const PIECE = 5000;

interface Started {
  readonly key: string;
  readonly value: string;
}

/** The rows of runs that had only started, in a folder of schema 3 that is read. */
export function olderStarts(env: RootDatabase<string, string>): readonly Started[] {
  if (env.get(SCHEMA_KEY) === String(SCHEMA)) return [];
  // Opened to read, there may be none.
  return [...(startedRuns(env)?.getRange() ?? [])];
}

function startedRuns(env: RootDatabase<string, string>): Database<string, string> | undefined {
  return env.openDB<string, string>('started-runs', { encoding: 'string' });
}

interface Indexed {
  readonly env: RootDatabase<string, string>;
  readonly runs: Database<string, string>;
  readonly runIndex: RunIndex;
}

/**
 * Brings a folder of an older schema to the present one: has one place for all rows, and makes the index anew from them, piece by piece. Meanwhile the folder is
 * marked, so that a version that knows the old index refuses it, and the next open after a kill begins again. About 20 us a run.
 */
export async function rebuildRunIndex({ env, runs, runIndex }: Indexed): Promise<void> {
  env.transactionSync(() => markIndexing(env));
  const started = olderStarts(env);
  env.transactionSync(() => {
    for (const { key, value } of started) runs.putSync(key, value);
  });
  startedRuns(env)?.dropSync();
  runIndex.clearSync();
  let after: string | undefined;
  while (true) {
    const rows = [...runs.getRange({ ...(after === undefined ? {} : { start: after, exclusiveStart: true }), limit: PIECE })];
    env.transactionSync(() => {
      for (const { value } of rows) updateRunIndex(runIndex, null, JSON.parse(value) as IndexedFields);
    });
    if (rows.length < PIECE) break;
    after = rows.at(-1)?.key;
    await nextTurn();
  }
  env.transactionSync(() => markPresent(env));
}
