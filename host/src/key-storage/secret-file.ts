import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import {
  chmod,
  chown,
  type FileHandle,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { assertPrivate } from './private-file.ts';

/** The suffix of {@link nameBeside}, and that of an earlier release. */
const BESIDE = /^\.([0-9a-f-]{36}|\d+)\.new$/;
const MAX_TRIES = 10;
/** Maximum wait after the first try, in milliseconds. It doubles with each try, up to some seconds, which is longer than a change takes. */
const WAIT_MS = 10;

/**
 * The text of a secret file. The first start creates the file with `fresh`, readable only by its owner. If several processes start together, one
 * creates it and all get the same text.
 * @param purpose for the message: what the file is, and what to do if it cannot be created
 * @throws if other users can access it
 */
export async function secretFile(file: string, fresh: string, purpose: { what: string; remedy: string }): Promise<string> {
  // Linked when it is complete, because another process may read it at any moment.
  const beside = nameBeside(file);
  try {
    const found = await readIfThere(file);
    if (found !== null) return found;
    await writeFile(beside, fresh, { flag: 'wx', mode: 0o600, flush: true });
    await link(beside, file);
    return fresh;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return readFile(file, 'utf8');
    if (!['EACCES', 'EROFS', 'EPERM', 'ENOENT'].some((code) => hasCode(error, code))) throw error;
    throw new Error(`cannot create ${purpose.what} ${file}: ${purpose.remedy}`, { cause: error });
  } finally {
    await rm(beside, { force: true }).catch(() => undefined);
  }
}

/** Returns the new content, given the current one. `found` null: there is no file. Result null: no change. */
type Change = (found: Buffer | null) => Buffer | string | null;

/**
 * Replaces the content of a secret file atomically. The change is on disk when the promise resolves. Concurrent changes of several processes do not
 * undo each other. The old content, and files that a crash left behind, are overwritten, as far as the file system overwrites in place.
 * @param like a file from which a new file takes owner and permissions
 */
export async function changeSecretFile(named: string, change: Change, like = named): Promise<void> {
  // A link stays a link, and its target is changed.
  const file = await realpath(named).catch(async (error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error;
    return join(await realpath(dirname(named)), basename(named));
  });
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    if (await isChanged(file, change, like)) return;
    // Each try cancels the other processes' tries. Without pauses of different lengths, two processes would cancel each other forever.
    await wait(Math.random() * WAIT_MS * 2 ** tries);
  }
  throw new Error(`cannot change ${file}: another process keeps changing it`);
}

/** False if another process began later. Then nothing was changed, and the other process's change must be read first. */
async function isChanged(file: string, change: Change, like: string): Promise<boolean> {
  const beside = nameBeside(file);
  const next = await open(beside, 'wx', 0o600);
  try {
    // Processes that have read the file before can no longer replace it.
    await removeOthers(file, beside);
    const before = await openIfThere(file);
    try {
      const found = before === null ? null : await before.readFile();
      // The content that was read may have been overwritten by now.
      if (await isGone(next)) return false;
      const made = change(found);
      if (made === null) return true;
      await takeAfter(next, before === null ? await stat(like) : await before.stat());
      await next.writeFile(made);
      await next.sync();
      if (!(await isRenamed(beside, file))) return false;
      await syncFolder(dirname(file));
      if (before !== null) await wipe(before);
      return true;
    } finally {
      await before?.close();
    }
  } finally {
    await next.close();
    await rm(beside, { force: true }).catch(() => undefined);
  }
}

async function openIfThere(file: string): Promise<FileHandle | null> {
  return open(file, 'r+').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  });
}

/**
 * Creates a folder for secrets in an existing folder, with the owner and mode of the file `like`. Both folders are on disk when the promise resolves.
 */
export async function secretFolder(folder: string, like: string): Promise<void> {
  const { uid, gid, mode } = await stat(like);
  try {
    await mkdir(folder, { mode: 0o700 });
    if (process.getuid?.() === 0) await chown(folder, uid, gid);
    if ((mode & 0o040) !== 0) await chmod(folder, 0o750);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  // Needed even if another process has just created the folder.
  await syncFolder(dirname(folder));
}

/** A name that is unique across all processes. Pids are not: containers that share a volume may all have the same one. */
function nameBeside(file: string): string {
  return `${file}.${randomUUID()}.new`;
}

async function removeOthers(file: string, own: string): Promise<void> {
  for (const name of await readdir(dirname(file))) {
    const other = join(dirname(file), name);
    if (other === own || !name.startsWith(basename(file)) || !BESIDE.test(name.slice(basename(file).length))) continue;
    const left = await open(other, 'r+').catch(() => null);
    await rm(other, { force: true });
    if (left !== null) await wipe(left).finally(() => left.close());
  }
}

async function isRenamed(beside: string, file: string): Promise<boolean> {
  try {
    await rename(beside, file);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

/** Keeps owner and permissions, because an administrator may change the file for the server's user. */
async function takeAfter(next: FileHandle, { uid, gid, mode }: Stats): Promise<void> {
  if (process.getuid?.() === 0) await next.chown(uid, gid);
  await next.chmod(mode & 0o777);
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}

/** Overwrites a deleted file. A file that still has a name is in use and is left alone. */
async function wipe(file: FileHandle): Promise<void> {
  if (!(await isGone(file))) return;
  await file.write(Buffer.alloc((await file.stat()).size), 0, undefined, 0);
  await file.sync();
}

/** Whether the file was deleted. */
async function isGone(file: FileHandle): Promise<boolean> {
  return (await file.stat()).nlink === 0;
}

/**
 * The text of a secret file. Null if it does not exist.
 * @throws if other users can access it
 */
export async function readIfThere(file: string): Promise<string | null> {
  await assertPrivate(file);
  return readFile(file, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  });
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
