import { StoreError } from '@svc/sdk/plugin';
import type { Database, Key, RootDatabase } from 'lmdb';
import { LAST } from './last-key.ts';

/** Grows when the layout changes so that an older version could not read it or would spoil it. */
export const SCHEMA = 2;
export const SCHEMA_KEY = 'schema';

/** Stands in place of the schema while the folder is loaded: any version that does not know it takes it for a newer one and refuses. */
const LOADING = 1_000_000;

type Root = RootDatabase<string, string>;

/** Of schema 1: nothing keeps these up any more, so that their entries would tell of runs as they were. */
const GONE = ['all', 'owner'];
/** Keys held in memory at once. */
const CHUNK = 1000;

/** `half_loaded`: whoever loaded it did not come to the end. */
export type FoundSchema = 'present' | 'older' | 'half_loaded';

/**
 * Of which schema the folder is; a new one is marked with the present one.
 * @throws {StoreError} `SCHEMA` for a folder of a newer schema or of another program, before anything is written to it
 */
export function foundSchema(env: Root, folder: string): FoundSchema {
  const found = env.get(SCHEMA_KEY);
  if (found === undefined) {
    if (env.getKeysCount({ limit: 1 }) > 0) {
      throw new StoreError('SCHEMA', `${folder} holds another program's LMDB database: use another folder`);
    }
    env.transactionSync(() => env.putSync(SCHEMA_KEY, String(SCHEMA)));
    return 'present';
  }
  if (Number(found) === LOADING) return 'half_loaded';
  refuseNewer(Number(found), folder);
  return Number(found) < SCHEMA ? 'older' : 'present';
}

/** @throws {StoreError} `SCHEMA` for a folder that this version cannot read, or that is only half loaded */
export function assertReadable(env: Root, folder: string): void {
  const found = Number(env.get(SCHEMA_KEY) ?? Number.NaN);
  if (Number.isNaN(found) || found === LOADING) {
    throw new StoreError('SCHEMA', `${folder} holds no runs-db, or one that is being loaded`);
  }
  refuseNewer(found, folder);
}

function refuseNewer(found: number, folder: string): void {
  if (found <= SCHEMA) return;
  throw new StoreError(
    'SCHEMA',
    `${folder} was written by a newer version (schema ${found}, this one knows ${SCHEMA}): install that version or use another folder`,
  );
}

/**
 * Brings a folder of schema 1 to the present one, before anything else is written to it: all or nothing. From then on the version that
 * wrote it refuses it. Values of index entries differ (no bytes or none at all), which nobody reads.
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

/** Inside a write. */
export function markLoading(env: Root): void {
  env.putSync(SCHEMA_KEY, String(LOADING));
}

/** Inside a write. */
export function markLoaded(env: Root): void {
  env.putSync(SCHEMA_KEY, String(SCHEMA));
}
