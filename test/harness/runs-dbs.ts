import { join } from 'node:path';
import { temporaryFolder } from '../../plugins/store-lmdb/src/test-store.ts';

/** A runs-db for one test file. */
export interface RunsDb {
  /** The value of `--runs-db`. */
  readonly url: string;
  remove(): Promise<void>;
}

export async function runsFolder(): Promise<RunsDb> {
  const { folder, remove } = temporaryFolder();
  return { url: join(folder, 'runs-db'), remove: async () => remove() };
}
