import { StoreError } from '@svc/sdk';

/** SQLSTATE or system error name of a failure; both name a kind of trouble and quote nothing. */
export function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
}

/** SQLSTATE of data_corrupted and index_corrupted. */
const CORRUPTED: ReadonlySet<string> = new Set(['XX001', 'XX002']);

/** What the driver threw as the contract has it: its own message may quote a row. */
export function unreachable(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  // Not the driver's: what a column holds is not what was written.
  if (error instanceof SyntaxError || CORRUPTED.has(reasonOf(error)))
    return new StoreError('DAMAGED', `the database is damaged (${reasonOf(error)}): restore a backup`, { cause: error });
  return new StoreError('UNREACHABLE', `the database is unavailable (${reasonOf(error)})`, { cause: error });
}

/** The driver's words for a statement that was not answered in time; it has no code for it. */
const SILENCE = 'Query read timeout';

/** The connection broke under a statement, which may have been carried out all the same. */
export class LostConnection extends StoreError {
  /** Nothing was heard of it: no reset, no end. */
  readonly silent: boolean;

  constructor(cause: unknown) {
    super('UNREACHABLE', `the connection to the database was lost (${reasonOf(cause)})`, { cause });
    this.silent = cause instanceof Error && cause.message === SILENCE;
  }
}

/** SQLSTATE or system error of a server that is not there yet, or not any more. Of a wrong password, name or certificate it is none of these. */
const PASSING = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  // It is shut down, has crashed, or is starting up.
  '57P01',
  '57P02',
  '57P03',
]);
/** The driver's words, which has no codes for these. */
const LOST = new Set([
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'timeout expired',
]);

/** Whether it may be gone when one tries again. */
export function isPassing(error: unknown): boolean {
  return error instanceof Error && (PASSING.has(reasonOf(error)) || LOST.has(error.message));
}
