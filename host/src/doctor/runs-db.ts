import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage, isStoreError, type Store, withTimeout } from '@svc/contracts';
import type { RunsDb } from '../config/runs-db.ts';
import { type Finding, ok, problem } from './finding.ts';

const OPEN_MS = 15_000;

/** Opens the runs-db for reading, unless a gateway uses it. Creates nothing. @param storeOf gives the store, not open yet */
export async function checkRunsDb(db: RunsDb, storeOf: () => Promise<Store>): Promise<Finding> {
  const isNew = db.type === 'lmdb' && !existsSync(join(String(db.options.path), 'data.mdb'));
  if (isNew) return ok('runs-db', `${db.place} does not exist yet: svc serve --runs-db creates it`);
  let store: Store | null = null;
  try {
    store = await storeOf();
    const opened = await withTimeout(store.open('read'), OPEN_MS);
    if (!opened.done) return problem('runs-db', `${db.place} did not answer in ${OPEN_MS / 1000} s`, remedyFor(db));
    return ok('runs-db', `${db.place} can be read${db.type === 'lmdb' ? ', and no gateway uses it' : ''}`);
  } catch (error) {
    if (isStoreError(error) && error.code === 'HELD')
      return ok('runs-db', `${heldText(db, error.message)}: a gateway is running`);
    const message = errorMessage(error, 'it cannot be opened').replaceAll(db.options.url ?? db.place, db.place);
    return problem('runs-db', message.startsWith(db.place) ? message : `${db.place}: ${message}`, remedyFor(db));
  } finally {
    await store?.close().catch(() => undefined);
  }
}

/** The message of the store also says what to do, which is wrong here. */
function heldText({ place }: RunsDb, message: string): string {
  const [, pid] = /by process (\d+)/.exec(message) ?? [];
  return pid === undefined ? `${place} is in use` : `${place} is in use by process ${pid}`;
}

function remedyFor({ type }: RunsDb): string {
  return type === 'postgres'
    ? 'check the URL, the password and the firewall, and that the database is running'
    : 'run svc doctor as the user that runs the server. svc ledger verify shows damage; docs/backup.md explains how to restore a backup';
}
