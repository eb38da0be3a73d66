import { dirname, resolve } from 'node:path';

/** Which store keeps the runs, and its options. */
export interface RunsDb {
  readonly type: 'lmdb' | 'postgres';
  readonly options: Readonly<Record<string, string>>;
  /** Folder to which relative paths of the options belong. */
  readonly directory: string;
}

/** What `--runs-db` names: a PostgreSQL database by its URL, else a folder. */
export function runsDb(named: string): RunsDb {
  if (/^postgres(ql)?:\/\//.test(named)) return { type: 'postgres', options: { url: named }, directory: process.cwd() };
  const path = resolve(named);
  return { type: 'lmdb', options: { path }, directory: dirname(path) };
}
