import { rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorMessage, isStoreError, type Store } from '@svc/contracts';
import { ownPlugins } from '../compose/configuration.ts';
import { newHost } from '../compose/host.ts';
import { makeStore } from '../compose/store.ts';
import { type RunsDb, runsDb } from '../config/runs-db.ts';
import { CliError } from '../errors/cli-error.ts';
import { silentLogger } from '../telemetry/log/logger.ts';
import { newCopyFolder } from './copy-folder.ts';

export interface RecordedStore {
  readonly store: Store;
  /** Whether a temporary copy is read, because a server uses the runs-db. */
  readonly is_copy: boolean;
  close(): Promise<void>;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Opens a runs-db for reading. If a server uses the folder, opens a temporary copy of its present state. @throws {CliError} */
export async function openRecorded(db: RunsDb): Promise<RecordedStore> {
  const store = await storeOf(db);
  try {
    await store.open('read');
    return { store, is_copy: false, close: () => store.close() };
  } catch (error) {
    if (isStoreError(error) && error.code === 'HELD' && store.backup !== undefined) return openCopy(store.backup.bind(store));
    throw new CliError(errorMessage(error, 'the runs-db cannot be opened'));
  }
}

function storeOf(db: RunsDb): Promise<Store> {
  return makeStore(db, ownPlugins(), newHost(silentLogger));
}

async function openCopy(backup: NonNullable<Store['backup']>): Promise<RecordedStore> {
  const folder = await newCopyFolder(tmpdir());
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const stop = (signal: (typeof SIGNALS)[number]): void => {
    remove();
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of SIGNALS) process.once(signal, stop);
  const end = (): void => {
    for (const signal of SIGNALS) process.off(signal, stop);
    remove();
  };
  try {
    const copy = join(folder, 'runs-db');
    await backup(copy, () => undefined);
    const store = await storeOf(runsDb(copy));
    await store.open('read');
    return { store, is_copy: true, close: () => store.close().finally(end) };
  } catch (error) {
    end();
    throw new CliError(
      `the runs-db is in use and cannot be copied: ${errorMessage(error)}; to copy it to another folder, set TMPDIR`,
    );
  }
}
