import { StoreError } from '@svc/sdk/plugin';

/** SQLSTATE or system error name of a failure; both name a kind of trouble and quote nothing. */
export function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
}

/** What the driver threw as the contract has it: its own message may quote a row. */
export function unreachable(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  return new StoreError('UNREACHABLE', `the database cannot be used now (${reasonOf(error)})`, { cause: error });
}
