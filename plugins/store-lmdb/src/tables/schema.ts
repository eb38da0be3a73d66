import { StoreError } from '@svc/sdk/store';
import type { RootDatabase } from 'lmdb';

/**
 * Incremented when the layout changes so that an older version could not read it or would damage it. 5: a version without sessions would apply the log
 * of a killed process without the last records of its sessions, and their chains would break.
 */
export const SCHEMA = 5;
export const SCHEMA_KEY = 'schema';

/**
 * Stored instead of the schema while the folder is loaded, or its run index is rebuilt. A version that does not know them treats them as a newer
 * schema and refuses the folder.
 */
const LOADING = 1_000_000;
const INDEXING = 1_000_001;

type Root = RootDatabase<string, string>;

/** `older`: the run index must be rebuilt, perhaps again. `half_loaded`: a load did not finish. */
export type FoundSchema = 'present' | 'older' | 'half_loaded';

/**
 * Checks the schema of the folder; a new folder is marked with the current one.
 * @throws {StoreError} `SCHEMA` for a folder of a newer schema or of another program, before anything is written to it
 */
export function foundSchema(env: Root, folder: string): FoundSchema {
  const found = env.get(SCHEMA_KEY);
  if (found === undefined) {
    if (env.getKeysCount({ limit: 1 }) > 0) {
      throw new StoreError('SCHEMA', `${folder} contains the LMDB database of another program: use another folder`);
    }
    env.transactionSync(() => env.putSync(SCHEMA_KEY, String(SCHEMA)));
    return 'present';
  }
  if (Number(found) === LOADING) return 'half_loaded';
  if (Number(found) === INDEXING) return 'older';
  refuseNewer(Number(found), folder);
  return Number(found) < SCHEMA ? 'older' : 'present';
}

/** @throws {StoreError} `SCHEMA` for a folder that this version cannot read, or that is half loaded */
export function assertReadable(env: Root, folder: string): void {
  const found = Number(env.get(SCHEMA_KEY) ?? Number.NaN);
  if (Number.isNaN(found) || found === LOADING) {
    throw new StoreError('SCHEMA', `${folder} is not a runs-db, or data is still being loaded into it`);
  }
  if (found !== INDEXING) refuseNewer(found, folder);
}

function refuseNewer(found: number, folder: string): void {
  if (found <= SCHEMA) return;
  throw new StoreError(
    'SCHEMA',
    `${folder} was written by a newer version (schema ${found}; this version supports ${SCHEMA}): start the version that wrote it. To use this version, restore a backup made before the upgrade`,
  );
}

/** Call it inside a write. */
export function markLoading(env: Root): void {
  env.putSync(SCHEMA_KEY, String(LOADING));
}

/** Call it inside a write. */
export function markIndexing(env: Root): void {
  env.putSync(SCHEMA_KEY, String(INDEXING));
}

/** Call it inside a write. */
export function markPresent(env: Root): void {
  env.putSync(SCHEMA_KEY, String(SCHEMA));
}
