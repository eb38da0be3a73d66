import { link, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * What a secret's file says, made from `fresh` at the first start, readable by its owner only. Of several processes that start together
 * one makes it.
 * @param purpose for the message: what the file is, and what to do where it cannot be made
 */
export async function secretFile(file: string, fresh: string, purpose: { what: string; remedy: string }): Promise<string> {
  // Whole or not there: another process may look at any moment.
  const beside = `${file}.${process.pid}.new`;
  try {
    const found = await textOf(file);
    if (found !== null) return found;
    await writeFile(beside, fresh, { flag: 'w', mode: 0o600, flush: true });
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
 * Puts other text in the place of a secret's file, all or nothing, on disk when it resolves. What the file said before is overwritten, as
 * far as the file system overwrites anything in place.
 */
export async function replaceSecretFile(file: string, text: string): Promise<void> {
  const beside = `${file}.${process.pid}.new`;
  const before = await open(file, 'r+');
  try {
    await writeFile(beside, text, { flag: 'w', mode: 0o600, flush: true });
    await rename(beside, file);
    const folder = await open(dirname(file), 'r');
    await folder.sync().finally(() => folder.close());
    await before.write(Buffer.alloc((await before.stat()).size), 0, undefined, 0);
    await before.sync();
  } finally {
    await before.close();
    await rm(beside, { force: true }).catch(() => undefined);
  }
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
