import { readdirSync } from 'node:fs';
import type { Logger } from '@svc/sdk';
import { StoreError } from '@svc/sdk/store';
import { heldBy } from '@svc/toolkit/folder-lock';
import { type Database, type Key, open, type RootDatabase, type RootDatabaseOptionsWithPath } from 'lmdb';
import { checkDataFile } from '../files/data-file.ts';
import { openToRead, readerMark } from './backup.ts';
import { rebuildRunIndex } from './rebuild-run-index.ts';
import type { RunIndex, RunIndexKey } from './run-index.ts';
import { assertReadable, foundSchema, markPresent } from './schema.ts';

export type Environment = RootDatabase<string, string>;

export interface Databases {
  readonly env: Environment;
  /** run_id → JSON of the row. */
  readonly runs: Database<string, string>;
  readonly runIndex: RunIndex;
  /** seq → record, see ledger.ts. */
  readonly ledger: Database<string, number>;
  /** [model_id, record_type, seq], and for the rare record types [record_type, seq]. */
  readonly ledgerIndex: Database<Uint8Array, Key[]>;
  /** [run_id, name, expires_at] → bytes; `Infinity` for what does not expire. */
  readonly content: Database<Uint8Array, Key[]>;
  /** Everything small; the first part of a key is its kind. */
  readonly state: Database<string, Key[]>;
}

/** Opens the environment. Refuses a newer schema or foreign data before anything is written. */
function openEnvironment(folder: string): Environment {
  checkDataFile(folder);
  // The declarations of lmdb lack the last two.
  const options: RootDatabaseOptionsWithPath & { safeRestore: boolean; permissionsMode: number } = {
    path: folder,
    // Otherwise a folder whose name has a dot would be treated as a file.
    noSubdir: false,
    encoding: 'string',
    // With the default a record can be read before it is on disk, and stays readable after its write has failed.
    overlappingSync: false,
    // Otherwise, during the same boot, the newest snapshot would be opened even if it never reached the disk.
    safeRestore: true,
    // The default begins each batch with a write whose promise nobody can handle: when the commit fails, it ends the process.
    eventTurnBatching: false,
    permissionsMode: 0o600,
  };
  try {
    return open<string, string>(options);
  } catch (error) {
    throw new StoreError('OPEN', `${folder} cannot be opened as an LMDB database: check the path and its permissions`, {
      cause: error,
    });
  }
}

/**
 * LMDB's own list of readers, which the system maintains. It also shows processes in other containers, where the lock file cannot show which
 * process lives. A process is listed only after it has read from the folder (see LmdbStore.open).
 */
function refuseOtherReaders(env: Environment, folder: string): void {
  const files = readdirSync(folder);
  for (const [, pid] of env.readerList().matchAll(/^\s*(\d+) /gm)) {
    // A backup only reads: a server may start meanwhile.
    if (!files.some((file) => readerMark(Number(pid)).test(file))) throw heldBy(Number(pid), folder);
  }
}

function databasesIn(env: Environment): Databases {
  return {
    env,
    runIndex: env.openDB<Uint8Array, RunIndexKey>('run-index', { encoding: 'binary' }),
    runs: env.openDB<string, string>('runs', { encoding: 'string' }),
    ledger: env.openDB<string, number>('ledger', { encoding: 'string' }),
    ledgerIndex: env.openDB<Uint8Array, Key[]>('ledger-index', { encoding: 'binary' }),
    content: env.openDB<Uint8Array, Key[]>('content', { encoding: 'binary' }),
    state: env.openDB<string, Key[]>('state', { encoding: 'string' }),
  };
}

/** Writes nothing, except LMDB's lock file if possible. */
export async function openDatabasesToRead(folder: string): Promise<Databases> {
  const env = openToRead(folder);
  try {
    refuseOtherReaders(env, folder);
    assertReadable(env, folder);
    return databasesIn(env);
  } catch (error) {
    await env.close();
    throw error;
  }
}

export async function openDatabases(folder: string, logger: Logger): Promise<Databases> {
  const env = openEnvironment(folder);
  try {
    refuseOtherReaders(env, folder);
    const schema = foundSchema(env, folder);
    const dbs = databasesIn(env);
    switch (schema) {
      case 'present':
        break;
      case 'older':
        logger.info({ event: 'store_upgrading' });
        await rebuildRunIndex(dbs);
        break;
      case 'half_loaded':
        clearAll(dbs);
    }
    return dbs;
  } catch (error) {
    await env.close();
    throw error;
  }
}

function all({ env: _, ...dbs }: Databases): Database<unknown, Key>[] {
  return Object.values(dbs);
}

export function isEmpty(dbs: Databases): boolean {
  return all(dbs).every((db) => db.getKeysCount({ limit: 1 }) === 0);
}

/** Deletes everything in a folder that is marked as half loaded, then the mark. */
export function clearAll(dbs: Databases): void {
  for (const db of all(dbs)) db.clearSync();
  dbs.env.transactionSync(() => markPresent(dbs.env));
}

/** A value of `state` that is stored as JSON; null if there is none. */
export function readState<T>(state: Databases['state'], key: Key[]): T | null {
  const text = state.get(key);
  return text === undefined ? null : JSON.parse(text);
}
