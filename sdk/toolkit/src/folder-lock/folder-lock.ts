import { accessSync, constants, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from '@svc/contracts';
import { isRunning, ownStart } from './process-identity.ts';

const LOCK_FILE = /^holder-(\d+)-(\w+)\.lock$/;

/** Lock files of this process. If start times are not available, a file with this pid that is not listed here is from a dead process. */
const taken = new Set<string>();

export function heldBy(pid: number, folder: string): StoreError {
  return new StoreError('HELD', `${folder} is in use by process ${pid}: stop that process first, or use another folder`);
}

/**
 * Locks a folder for this process, and returns a function that unlocks it. The lock is an empty file whose name contains pid and start time. Every
 * process first writes its own file and then looks for others: if two start at the same moment, both may be refused, but never both accepted. Files
 * of processes that have ended are removed.
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

/** As {@link takeFolder}, for a process that only reads and may be unable to write the lock file. Then no writer can start there either. */
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
