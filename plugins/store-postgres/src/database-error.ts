import { StoreError } from '@svc/sdk/store';

/** SQLSTATE or system error name of a failure. Neither quotes data. */
export function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
}

/** SQLSTATE of data_corrupted and index_corrupted. */
const CORRUPTED: ReadonlySet<string> = new Set(['XX001', 'XX002']);

/** Converts a driver error to the contract's error: the driver's message may quote a row. */
export function unreachable(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  // Not an error of the driver: a column does not contain what was written.
  if (error instanceof SyntaxError || CORRUPTED.has(reasonOf(error)))
    return new StoreError('DAMAGED', `the database is damaged (${reasonOf(error)}): restore a backup`, { cause: error });
  return new StoreError('UNREACHABLE', `the database is unavailable (${reasonOf(error)})`, { cause: error });
}

/** The driver's message for a statement that was not answered in time; it has no code for it. */
const SILENCE = 'Query read timeout';

/** The connection broke during a statement, which may have been executed all the same. */
export class LostConnection extends StoreError {
  /** No reset and no end of the connection was received. */
  readonly silent: boolean;

  constructor(cause: unknown) {
    super('UNREACHABLE', `the connection to the database was lost (${reasonOf(cause)})`, { cause });
    this.silent = cause instanceof Error && cause.message === SILENCE;
  }
}

/** SQLSTATE or system error of a server that is temporarily unavailable. A wrong password, name or certificate is not among them. */
const PASSING = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  // Shut down, crashed, or starting up.
  '57P01',
  '57P02',
  '57P03',
]);
/** The driver's messages; it has no codes for these. */
const LOST = new Set([
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'timeout expired',
]);

/** Whether a retry may succeed. */
export function isPassing(error: unknown): boolean {
  return error instanceof Error && (PASSING.has(reasonOf(error)) || LOST.has(error.message));
}
