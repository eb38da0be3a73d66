import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import type { ResolvedConfig } from '../config/index.ts';
import type { RunsDb } from '../config/runs-db.ts';

type Places = Pick<ResolvedConfig, 'directory' | 'store'>;

/**
 * Where the gateway keeps the signing key that it creates and the newest checkpoint: in the folder of the content key. So a backup of the runs-db's
 * folder includes no key.
 * @throws if that folder is part of the runs-db
 */
export function ledgerFiles({ directory, store }: Places, db: RunsDb): { key: string; checkpoint: string } {
  const folder = db.is_temporary ? db.directory : dirname(store.content_key_file);
  const key = join(folder, `${db.ledger_name}.key`);
  // Earlier releases created it beside the runs-db or beside the configuration.
  const former = join(db.type === 'lmdb' ? db.directory : directory, `${db.ledger_name}.key`);
  const found = !existsSync(key) && existsSync(former) ? former : key;
  assertOutside('the signing key', found, db);
  return { key: found, checkpoint: join(folder, `${db.ledger_name}.checkpoint`) };
}

/** @throws if a backup of the runs-db would include the file */
export function assertOutside(what: string, file: string, db: RunsDb): void {
  const folder = realPath(dirname(file));
  const inside = [db.options.path, db.rag_folder].some(
    (part) => typeof part === 'string' && `${folder}${sep}`.startsWith(`${realPath(part)}${sep}`),
  );
  if (inside)
    throw new Error(`${what} ${file} is inside the runs-db, so backups would include it: choose a path outside the runs-db`);
}

/** The real path. If the path does not exist, that of its nearest existing folder is used. */
function realPath(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const around = dirname(path);
  return around === path ? path : join(realPath(around), basename(path));
}
