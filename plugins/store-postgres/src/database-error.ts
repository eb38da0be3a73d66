import { StoreError } from '@svc/sdk/store';

/** The SQLSTATE or system error code of a failure. Neither of them contains data. */
export function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
}

/** SQLSTATE of data_corrupted and index_corrupted. */
const CORRUPTED: ReadonlySet<string> = new Set(['XX001', 'XX002']);

/** Converts a driver error to the contract's error, because the driver's message may quote a row. */
export function unreachable(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  // Not a driver error: a column contains something that the store did not write.
  if (error instanceof SyntaxError || CORRUPTED.has(reasonOf(error)))
    return new StoreError('DAMAGED', `the database is damaged (${reasonOf(error)}): restore a backup`, { cause: error });
  return new StoreError('UNREACHABLE', `the database is unavailable (${reasonOf(error)})`, { cause: error });
}

/** The driver's message for a statement that timed out. It comes without a code. */
const SILENCE = 'Query read timeout';

/** The connection broke during a statement, which may have been executed anyway. */
export class LostConnection extends StoreError {
  /** Whether the connection stayed silent: it was neither reset nor closed. */
  readonly silent: boolean;

  constructor(cause: unknown) {
    super('UNREACHABLE', `the connection to the database was lost (${reasonOf(cause)})`, { cause });
    this.silent = cause instanceof Error && cause.message === SILENCE;
  }
}

/** SQLSTATEs and system errors of a server that is temporarily unavailable. A wrong password, name or certificate is not among them. */
const PASSING = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  // Server shut down, crashed or starting.
  '57P01',
  '57P02',
  '57P03',
]);
/** The driver's messages without codes. */
const LOST = new Set([
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'timeout expired',
]);

/** Whether a retry may succeed. */
export function isPassing(error: unknown): boolean {
  return error instanceof Error && (PASSING.has(reasonOf(error)) || LOST.has(error.message));
}
