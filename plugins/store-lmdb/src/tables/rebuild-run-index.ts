import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database, RootDatabase } from 'lmdb';
import { type IndexedFields, type RunIndex, updateRunIndex } from './run-index.ts';
import { markIndexing, markPresent, SCHEMA, SCHEMA_KEY } from './schema.ts';

/** Rows per transaction: few enough for its changed pages to stay in memory. */
const PIECE = 5000;

interface Started {
  readonly key: string;
  readonly value: string;
}

/** The rows of runs that had only started, in a folder of schema 3 that is opened for reading. */
export function olderStarts(env: RootDatabase<string, string>): readonly Started[] {
  if (env.get(SCHEMA_KEY) === String(SCHEMA)) return [];
  // A folder that is opened for reading may lack this database.
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
 * Migrates a folder of an older schema: moves all rows to one place, and rebuilds the index from them, piece by piece. Meanwhile the folder is
 * marked, so that versions that know the old index refuse it, and the next open after a kill starts again. About 20 us a run.
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
