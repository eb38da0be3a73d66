/**
 * `CLOSED`: not open. `HELD`: another process has the folder. `SCHEMA`: not a folder that this version can read. `OPEN`: the folder
 * cannot be opened. `FULL`: the disk's free-space reserve is reached. `STOPPED`: an earlier write failed, nothing more is written.
 * `CHAIN`: the sealed records do not go on from the ledger's head. `KEY`: a name that cannot be part of a key.
 */
export type StoreErrorCode = 'CLOSED' | 'HELD' | 'SCHEMA' | 'OPEN' | 'FULL' | 'STOPPED' | 'CHAIN' | 'KEY';

/** An error of this store, for the operator: the message names the folder and the remedy. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;
  constructor(code: StoreErrorCode, message: string, options?: { cause: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** The `code` that Node gives its file-system errors; null for anything else. */
export function systemCode(error: unknown): string | null {
  return error instanceof Error && 'syscall' in error && 'code' in error ? String(error.code) : null;
}
