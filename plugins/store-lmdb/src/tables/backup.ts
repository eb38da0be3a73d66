import { existsSync, readdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StoreError } from '@svc/sdk/store';
import { ownStart } from '@svc/toolkit/folder-lock';
import { makeFolder } from '@svc/toolkit/store';
import { open, type RootDatabase, type RootDatabaseOptionsWithPath } from 'lmdb';
import { checkDataFile } from '../files/data-file.ts';
import { isDamage } from '../files/lmdb-damage.ts';
import { BLOCK, framesIn } from '../log/frames.ts';
import { LOG_FILE, readLog } from '../log/log.ts';
import { type LogState, readLogState } from '../log/log-state.ts';
import { assertReadable } from './schema.ts';

const DATA_FILE = 'data.mdb';
/** Two pages of the smallest size. */
const META_BYTES = 2 * 4096;
const LOOK_EVERY_MS = 100;

/**
 * Copies a folder, in a consistent state, to a folder that is empty or missing. A server may keep writing meanwhile. Copies page by page, because a
 * compacting copy of LMDB 3.5 may be corrupt. Resolves when the copy is on disk.
 * @throws {StoreError} `OPEN`, `SCHEMA`, `NOT_EMPTY`, `FULL`
 */
export async function backUp(folder: string, target: string, progress: (bytes: number, of: number) => void): Promise<void> {
  if (!existsSync(join(folder, DATA_FILE))) throw new StoreError('OPEN', `${folder} is not a runs-db`);
  checkDataFile(folder, 'DAMAGED');
  makeFolder(target);
  if (readdirSync(target).length > 0) throw new StoreError('NOT_EMPTY', `${target} is not empty: choose a new folder`);
  const bytes = statSync(join(folder, DATA_FILE)).size;
  assertRoom(target, bytes + sizeOf(join(folder, LOG_FILE)));
  const unmark = markReader(folder);
  const env = openToRead(folder);
  const looking = setInterval(() => progress(sizeOf(join(target, DATA_FILE)), bytes), LOOK_EVERY_MS);
  try {
    assertReadable(env, folder);
    const log = await copyData(env, folder, target);
    if (log !== null) writeFileSync(join(target, LOG_FILE), log, { mode: 0o600, flush: true });
    await sync(join(target, DATA_FILE));
    await sync(target);
  } catch (error) {
    for (const file of [DATA_FILE, LOG_FILE]) rmSync(join(target, file), { force: true });
    throw isDamage(error) ? new StoreError('DAMAGED', `${folder} is damaged: restore a backup`, { cause: error }) : error;
  } finally {
    clearInterval(looking);
    await env.close();
    unmark();
  }
}

/**
 * Copies `data.mdb`, and returns the log as it was at that moment or shortly after. Together they contain everything that was acknowledged by then.
 * If the log was restarted in between, some of it may be missing, so the copy is repeated.
 */
async function copyData(env: RootDatabase<string, string>, folder: string, target: string): Promise<Buffer | null> {
  const file = join(target, DATA_FILE);
  const stateNow = (): LogState | null => {
    env.resetReadTxn();
    return readLogState(env);
  };
  for (;;) {
    const state = stateNow();
    const copying = env.backup(target, false);
    await begun(copying, file);
    const log = state === null ? null : wholeLog(folder, state);
    const isSame = stateNow()?.base === state?.base;
    await copying;
    if (isSame && log?.is_broken === true)
      throw new StoreError('DAMAGED', `${join(folder, LOG_FILE)} is damaged: restore a backup`);
    if (isSame) return log?.bytes ?? null;
    rmSync(file);
  }
}

interface FoundLog {
  readonly bytes: Buffer;
  readonly is_broken: boolean;
}

/** The log up to its last complete frame. Reads again if a frame was broken, because it may have been written during the read. */
function wholeLog(folder: string, state: LogState): FoundLog | null {
  for (let broken_at = -1; ; ) {
    const log = readLog(folder);
    if (log === null) return null;
    const { end, is_broken } = framesIn(log, state);
    if (!is_broken || end === broken_at) return { bytes: log.subarray(0, Math.max(end, BLOCK)), is_broken };
    broken_at = end;
  }
}

/** LMDB writes the copy's two meta pages first, while no commit can happen. */
async function begun(copying: Promise<void>, file: string): Promise<void> {
  const ended = copying.then(
    () => true,
    () => true,
  );
  while (sizeOf(file) < META_BYTES && !(await Promise.race([ended, delay(1, false)])));
}

/** The name of the file that marks the process with this pid as a reader, for a server that starts. */
export function readerMark(pid: number): RegExp {
  return new RegExp(`^reader-${pid}-\\w+\\.mark$`);
}

function markReader(folder: string): () => void {
  const mark = join(folder, `reader-${process.pid}-${ownStart()}.mark`);
  writeFileSync(mark, '', { mode: 0o600 });
  return () => rmSync(mark, { force: true });
}

export function openToRead(folder: string): RootDatabase<string, string> {
  const options: RootDatabaseOptionsWithPath & { safeRestore: boolean } = {
    path: folder,
    noSubdir: false,
    encoding: 'string',
    readOnly: true,
    safeRestore: true,
  };
  try {
    return open<string, string>(options);
  } catch (error) {
    if (isDamage(error)) throw new StoreError('DAMAGED', `${folder} is damaged: restore a backup`, { cause: error });
    throw new StoreError('OPEN', `${folder} cannot be read as an LMDB database: check its permissions`, { cause: error });
  }
}

function assertRoom(target: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(target);
  if (bavail * bsize > bytes) return;
  throw new StoreError('FULL', `the disk of ${target} has ${bavail * bsize} bytes free, but the copy needs ${bytes}`);
}

function sizeOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}

async function sync(path: string): Promise<void> {
  const file = await openFile(path, 'r');
  await file.sync().finally(() => file.close());
}
