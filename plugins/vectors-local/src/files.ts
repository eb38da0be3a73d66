import { StoreError } from '@svc/sdk/store';

export const SUFFIX = '.vectors';

/** A collection's file name. Capital letters are escaped, because some file systems ignore case. */
export function fileNameOf(collection: string): string {
  return `${collection.replace(/[A-Z]/g, (letter) => `^${letter.toLowerCase()}`)}${SUFFIX}`;
}

/** Converts a file error to a StoreError. */
export function trouble(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return error;
  const code = error.code === 'ENOSPC' || error.code === 'EDQUOT' ? 'FULL' : 'UNREACHABLE';
  return new StoreError(code, `cannot read or write the vector files (${String(error.code)})`, { cause: error });
}
