import { basename, dirname, resolve } from 'node:path';

/** The store of the runs, and its options. */
export interface RunsDb {
  readonly type: 'lmdb' | 'postgres';
  readonly options: Readonly<Record<string, string>>;
  /** The place for people, without user and password. */
  readonly place: string;
  /** Base folder of relative paths in the options. */
  readonly directory: string;
  /** Name for files that the gateway creates for its ledger; see {@link ledgerFiles}. */
  readonly ledger_name: string;
  /** Folder for files of retrieval plugins. Null: the runs are in a database. */
  readonly rag_folder: string | null;
  /** Whether it is removed when the server stops. */
  readonly is_temporary: boolean;
}

/** Parses `--runs-db`: the URL of a PostgreSQL database, or a folder. */
export function runsDb(named: string, is_temporary = false): RunsDb {
  if (/^postgres(ql)?:\/\//.test(named))
    return {
      type: 'postgres',
      options: { url: named },
      place: placeOf(named),
      directory: process.cwd(),
      ledger_name: 'ledger',
      rag_folder: null,
      is_temporary,
    };
  const path = resolve(named);
  return {
    type: 'lmdb',
    options: { path },
    place: path,
    directory: dirname(path),
    ledger_name: basename(path),
    rag_folder: `${path}.rag`,
    is_temporary,
  };
}

function placeOf(url: string): string {
  const [, host = '', path = ''] = /^[a-z]+:\/\/(?:[^/]*@)?([^/?]*)(\/[^?]*)?/.exec(url) ?? [];
  return `postgres://${host}${path}`;
}
