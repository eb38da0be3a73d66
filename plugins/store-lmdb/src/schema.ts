import { StoreError } from '@svc/sdk/plugin';
import type { Database, Key, RootDatabase } from 'lmdb';
import { LAST } from './last-key.ts';

/** Grows when the layout changes so that an older version could not read it or would spoil it. */
export const SCHEMA = 3;
const SCHEMA_KEY = 'schema';

type Root = RootDatabase<string, string>;

/** Of schema 1: nothing keeps these up any more, so that their entries would tell of runs as they were. */
const GONE = ['all', 'owner'];
/** Keys held in memory at once. */
const CHUNK = 1000;

/**
 * Whether the folder is of an older schema; a new one is marked with the present one.
 * @throws {StoreError} `SCHEMA` for a folder of a newer schema or of another program, before anything is written to it
 */
export function isOlder(env: Root, folder: string): boolean {
  const found = env.get(SCHEMA_KEY);
  if (found === undefined) {
    if (env.getKeysCount({ limit: 1 }) > 0) {
      throw new StoreError('SCHEMA', `${folder} holds another program's LMDB database: use another folder`);
    }
    env.transactionSync(() => env.putSync(SCHEMA_KEY, String(SCHEMA)));
    return false;
  }
  if (Number(found) > SCHEMA) {
    throw new StoreError(
      'SCHEMA',
      `${folder} was written by a newer version (schema ${found}, this one knows ${SCHEMA}): install that version or use another folder`,
    );
  }
  return Number(found) < SCHEMA;
}

/**
 * Brings a folder of schema 1 or 2 to the present one, before anything else is written to it: all or nothing. From then on the version
 * that wrote it refuses it. Schema 3 lets one entry of the ledger's index stand for several records of a commit; an entry of schema 2 is
 * one that stands for a single record. Values of the runs' index entries differ (no bytes or none at all), which nobody reads.
 */
export function upgrade(env: Root, runIndex: Database<Uint8Array, Key[]>): void {
  env.transactionSync(() => {
    for (const kind of GONE) {
      for (let full = true; full; ) {
        const keys = [...runIndex.getKeys({ start: [kind], end: [kind, LAST], limit: CHUNK })];
        for (const key of keys) runIndex.removeSync(key);
        full = keys.length === CHUNK;
      }
    }
    env.putSync(SCHEMA_KEY, String(SCHEMA));
  });
}
