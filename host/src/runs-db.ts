import { dirname, resolve } from 'node:path';

/** Which store keeps the runs, and its options. */
export interface RunsDb {
  readonly type: 'lmdb' | 'postgres';
  readonly options: Readonly<Record<string, string>>;
  /** For people: without user and password. */
  readonly place: string;
  /** Folder to which relative paths of the options belong. */
  readonly directory: string;
  /** Where the key that signs checkpoints is kept, unless the configuration names one; null: beside the configuration. */
  readonly key_file: string | null;
  /** Where the newest checkpoint is remembered, unless the configuration says; null: beside the configuration. */
  readonly guard_file: string | null;
  /** Where plugins for retrieval may keep files; null: what belongs to the runs is in a database. */
  readonly rag_folder: string | null;
  /** Whether it is gone when the server stops. */
  readonly is_temporary: boolean;
}

/** What `--runs-db` names: a PostgreSQL database by its URL, else a folder. */
export function runsDb(named: string, is_temporary = false): RunsDb {
  if (/^postgres(ql)?:\/\//.test(named))
    return {
      type: 'postgres',
      options: { url: named },
      place: placeOf(named),
      directory: process.cwd(),
      key_file: null,
      guard_file: null,
      rag_folder: null,
      is_temporary,
    };
  const path = resolve(named);
  return {
    type: 'lmdb',
    options: { path },
    place: path,
    directory: dirname(path),
    key_file: `${path}.key`,
    guard_file: `${path}.checkpoint`,
    rag_folder: `${path}.rag`,
    is_temporary,
  };
}

function placeOf(url: string): string {
  const [, host = '', path = ''] = /^[a-z]+:\/\/(?:[^/]*@)?([^/?]*)(\/[^?]*)?/.exec(url) ?? [];
  return `postgres://${host}${path}`;
}
