import { MalformedNote } from '@svc/ledger';

/** The reason why a text is malformed. Other errors are rethrown. */
export function reasonOf(error: unknown): string {
  if (error instanceof MalformedNote) return error.message;
  throw error;
}
