import { SvcError } from '@svc/contracts';

/** What a caller gives as the reason of a change. @throws {SvcError} SVC-REQ-001 for text that no record can hold */
export function reasonOf(reason: string | null | undefined): string | null {
  if (reason?.isWellFormed() === false) throw new SvcError('SVC-REQ-001', 'reason must be well-formed Unicode');
  return reason ?? null;
}
