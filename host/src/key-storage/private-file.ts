import { realpath, stat } from 'node:fs/promises';

/** Access for anyone but the owner and the group. Group access is allowed, because containers mount secrets with it. */
const OTHERS = 0o006;
/** Anyone who can enter a folder can open a file whose name is known. */
const OTHERS_IN_FOLDER = 0o007;

/**
 * Why the permissions of a secret file are too open, and how to correct them. Null: they are correct, or the file does not exist. For a link, its
 * target counts.
 */
export async function exposure(file: string): Promise<string | null> {
  const found = await stat(file).catch(() => null);
  if (found === null || (found.mode & (found.isDirectory() ? OTHERS_IN_FOLDER : OTHERS)) === 0) return null;
  const what = (found.mode & 0o002) === 0 ? 'read' : 'change';
  const target = await realpath(file);
  return `every user of this machine can ${what} ${file}: run ${found.isDirectory() ? 'chmod -R' : 'chmod'} o-rwx ${target} (or mount the secret with mode 0440)`;
}

/** @throws if other users can access the file; the message says how to correct that */
export async function assertPrivate(file: string): Promise<void> {
  const wrong = await exposure(file);
  if (wrong !== null) throw new Error(wrong);
}
