import { randomUUID } from 'node:crypto';
import { type FileHandle, link, open, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** What {@link nameBeside} adds, and an earlier release added. */
const BESIDE = /^\.([0-9a-f-]{36}|\d+)\.new$/;
const MAX_TRIES = 10;
/** The longest wait after the first try; it doubles from try to try, up to some seconds: more than a change takes. */
const WAIT_MS = 10;

/**
 * What a secret's file says, made from `fresh` at the first start, readable by its owner only. Of several processes that start together
 * one makes it.
 * @param purpose for the message: what the file is, and what to do where it cannot be made
 */
export async function secretFile(file: string, fresh: string, purpose: { what: string; remedy: string }): Promise<string> {
  // Whole or not there: another process may look at any moment.
  const beside = nameBeside(file);
  try {
    const found = await textOf(file);
    if (found !== null) return found;
    await writeFile(beside, fresh, { flag: 'wx', mode: 0o600, flush: true });
    await link(beside, file);
    return fresh;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return readFile(file, 'utf8');
    if (!['EACCES', 'EROFS', 'EPERM', 'ENOENT'].some((code) => hasCode(error, code))) throw error;
    throw new Error(`${purpose.what} ${file} cannot be made: ${purpose.remedy}`, { cause: error });
  } finally {
    await rm(beside, { force: true }).catch(() => undefined);
  }
}

/**
 * Puts other text in the place of a secret's file, all or nothing, on disk when it resolves; null from `change` leaves it as it is. Of
 * several processes that change it at once none undoes what another did. What the file said before, and what a crash left beside it, is
 * overwritten, as far as the file system overwrites anything in place.
 */
export async function changeSecretFile(named: string, change: (text: string) => string | null): Promise<void> {
  // Of a link the file that it names is changed, not the link.
  const file = await realpath(named);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    if (await isChanged(file, change)) return;
    // Each try ends those of others: without a pause of its own length two would end each other's for ever.
    await wait(Math.random() * WAIT_MS * 2 ** tries);
  }
  throw new Error(`${file} keeps being changed by another process`);
}

/** False where another process began after this one: then nothing was changed, and what that one wrote is to be read first. */
async function isChanged(file: string, change: (text: string) => string | null): Promise<boolean> {
  const beside = nameBeside(file);
  const next = await open(beside, 'wx', 0o600);
  try {
    // Whoever read the file before now can put nothing in its place any more.
    await removeOthers(file, beside);
    const before = await open(file, 'r+');
    try {
      const found = await before.readFile('utf8');
      // What was read may have been overwritten by then.
      if (await isGone(next)) return false;
      const text = change(found);
      if (text === null) return true;
      await takeAfter(next, before);
      await next.writeFile(text);
      await next.sync();
      if (!(await isRenamed(beside, file))) return false;
      await syncFolder(file);
      await wipe(before);
      return true;
    } finally {
      await before.close();
    }
  } finally {
    await next.close();
    await rm(beside, { force: true }).catch(() => undefined);
  }
}

/** No two processes have the same, containers with one volume included: all of those have the same pid. */
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

/** Who could read it before can read it after: an administrator may change it for the server's user. */
async function takeAfter(next: FileHandle, before: FileHandle): Promise<void> {
  const { uid, gid, mode } = await before.stat();
  if (process.getuid?.() === 0) await next.chown(uid, gid);
  await next.chmod(mode & 0o777);
}

async function syncFolder(file: string): Promise<void> {
  const folder = await open(dirname(file), 'r');
  await folder.sync().finally(() => folder.close());
}

/** Nothing that still has a name: that is somebody's, or the file itself. */
async function wipe(file: FileHandle): Promise<void> {
  if (!(await isGone(file))) return;
  await file.write(Buffer.alloc((await file.stat()).size), 0, undefined, 0);
  await file.sync();
}

/** Whether it has no name any more. */
async function isGone(file: FileHandle): Promise<boolean> {
  return (await file.stat()).nlink === 0;
}

async function textOf(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  });
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
