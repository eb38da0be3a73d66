import { open } from 'node:fs/promises';
import { StoreError } from '@svc/sdk';

export const SUFFIX = '.vectors';

/** A collection's file name. Capitals are marked: some file systems would take `Docs` and `docs` for one. */
export function fileNameOf(collection: string): string {
  return `${collection.replace(/[A-Z]/g, (letter) => `^${letter.toLowerCase()}`)}${SUFFIX}`;
}

/** What went wrong with a file, as the gateway's own error. */
export function trouble(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return error;
  const code = error.code === 'ENOSPC' || error.code === 'EDQUOT' ? 'FULL' : 'UNREACHABLE';
  return new StoreError(code, `the vectors cannot be read or written (${String(error.code)})`, { cause: error });
}

/** Makes what was created or renamed in a folder survive a crash. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
