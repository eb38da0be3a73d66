import { accessSync, constants, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from '@svc/sdk';
import { isRunning, ownStart } from './process-identity.ts';

const LOCK_FILE = /^holder-(\d+)-(\w+)\.lock$/;

/** Lock files of this process: one of the same name that is not here is from a dead process of the same pid, where no start time tells. */
const taken = new Set<string>();

export function heldBy(pid: number, folder: string): StoreError {
  return new StoreError('HELD', `${folder} is in use by process ${pid}: end that process first, or use another folder`);
}

/**
 * Takes a folder for this process; gives back the function that lets it go. The lock is an empty file whose name holds pid and start time.
 * Every process first writes its own file and then looks for others: two that start at the same moment may both be refused, never
 * both let in. Files of processes that run no more are removed.
 */
export function takeFolder(folder: string): () => void {
  const own = `holder-${process.pid}-${ownStart()}.lock`;
  const path = join(realpathSync(folder), own);
  if (taken.has(path)) throw heldBy(process.pid, folder);
  writeFileSync(path, '', { mode: 0o600 });
  taken.add(path);
  const release = () => {
    taken.delete(path);
    rmSync(path, { force: true });
  };
  for (const file of readdirSync(folder)) {
    const [, pid, started] = LOCK_FILE.exec(file) ?? [];
    if (file === own || pid === undefined || started === undefined) continue;
    if (isRunning(Number(pid), started)) {
      release();
      throw heldBy(Number(pid), folder);
    }
    rmSync(join(folder, file), { force: true });
  }
  return release;
}

/** The same for whoever only reads, where the lock file cannot be written: nobody who writes can begin there. */
export function takeToRead(folder: string): () => void {
  try {
    accessSync(folder, constants.W_OK);
  } catch {
    for (const file of readdirSync(folder)) {
      const [, pid, started] = LOCK_FILE.exec(file) ?? [];
      if (pid !== undefined && started !== undefined && isRunning(Number(pid), started)) throw heldBy(Number(pid), folder);
    }
    return () => undefined;
  }
  return takeFolder(folder);
}
