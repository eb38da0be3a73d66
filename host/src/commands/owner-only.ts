import { chmod, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Makes a folder and everything in it accessible to its owner only: folders 0700, files 0600. */
export async function makeOwnerOnly(folder: string): Promise<void> {
  await chmod(folder, 0o700);
  for (const item of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (item.isDirectory() || item.isFile()) await chmod(join(item.parentPath, item.name), item.isDirectory() ? 0o700 : 0o600);
  }
}
