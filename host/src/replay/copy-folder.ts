import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { isRunning, ownStart } from '@svc/toolkit/folder-lock';

/** Names the process that works with the folder, so that a later one finds what a killed process left behind. */
const NAME = /^svc-replay-(\d{1,10})-(\w{1,64})-\w{6}$/;

/** Makes a folder for a copy, which only this user can read. Removes those that ended processes of this user left behind. */
export function newCopyFolder(parent: string): Promise<string> {
  for (const name of readdirSync(parent)) if (isLeft(parent, name)) rmSync(join(parent, name), { recursive: true, force: true });
  return mkdtemp(join(parent, `svc-replay-${process.pid}-${ownStart()}-`));
}

function isLeft(parent: string, name: string): boolean {
  const [, pid, started] = NAME.exec(name) ?? [];
  if (pid === undefined || started === undefined || isRunning(Number(pid), started)) return false;
  const found = lstatSync(join(parent, name), { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === process.getuid?.();
}
