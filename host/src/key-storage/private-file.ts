import { realpath, stat } from 'node:fs/promises';

/** Others than the owner and the group may read or write it. A group may: so are secrets mounted into containers. */
const OTHERS = 0o006;
/** Who may enter a folder reaches a file whose name is known. */
const OTHERS_IN_FOLDER = 0o007;

/** What is wrong with who may use a file of secrets, and the way out. Null: nothing, or it is not there. A link counts as its target. */
export async function exposure(file: string): Promise<string | null> {
  const found = await stat(file).catch(() => null);
  if (found === null || (found.mode & (found.isDirectory() ? OTHERS_IN_FOLDER : OTHERS)) === 0) return null;
  const what = (found.mode & 0o002) === 0 ? 'read' : 'change';
  const target = await realpath(file);
  return `every user of this machine can ${what} ${file}: run ${found.isDirectory() ? 'chmod -R' : 'chmod'} o-rwx ${target} (or mount the secret with mode 0440)`;
}

/** @throws with the way out, for a file of secrets that others may use */
export async function assertPrivate(file: string): Promise<void> {
  const wrong = await exposure(file);
  if (wrong !== null) throw new Error(wrong);
}
