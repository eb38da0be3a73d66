import { basename, dirname, resolve } from 'node:path';

/** Which store keeps the runs, and its options. */
export interface RunsDb {
  readonly type: 'lmdb' | 'postgres';
  readonly options: Readonly<Record<string, string>>;
  /** For people: without user and password. */
  readonly place: string;
  /** Folder to which relative paths of the options belong. */
  readonly directory: string;
  /** What the files are called that the gateway makes for its ledger, see {@link ledgerFiles}. */
  readonly ledger_name: string;
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
