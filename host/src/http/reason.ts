import { SvcError } from '@svc/contracts';

const CONTROL = /\p{Cc}/u;
const KEY = /svc-[0-9a-f]{64}/i;

/**
 * What a caller gives as the reason of a change. It stays on record for ever.
 * @throws {SvcError} SVC-REQ-001 for text that no record can hold, that says nothing or that breaks a log, and for a key
 */
export function reasonOf(reason: string | null | undefined): string | null {
  if (reason === null || reason === undefined) return null;
  if (!reason.isWellFormed()) throw unfit('must be well-formed Unicode');
  if (CONTROL.test(reason)) throw unfit('must be one line without control characters');
  if (reason.trim() === '') throw unfit('must not be blank');
  if (KEY.test(reason)) throw unfit('has the form of a key: revoke that key, and send no key as a reason');
  return reason;
}

function unfit(what: string): SvcError {
  return new SvcError('SVC-REQ-001', `reason ${what}`);
}
