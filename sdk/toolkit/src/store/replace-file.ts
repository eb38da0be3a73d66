import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes the file `.new` beside `path`, then renames it to `path`. After a crash, the file is complete: either the old one or the new one. */
export async function replaceFile(path: string, content: string | Uint8Array, mode = 0o600): Promise<void> {
  await replaceUnsynced(path, content, mode);
  await syncFolder(dirname(path));
}

/** As {@link replaceFile}, but until {@link syncFolder}, a crash may undo it. */
export async function replaceUnsynced(path: string, content: string | Uint8Array, mode?: number): Promise<void> {
  const unfinished = `${path}.new`;
  const file = await open(unfinished, 'w', mode);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, path);
}

/** Makes sure that files that were created or renamed in a folder survive a crash. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}
