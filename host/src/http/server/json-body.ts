import { SvcError } from '@svc/contracts';
import { type Unrecordable, whyUnrecordable } from '@svc/runtime/texts';

const SENTENCES: Readonly<Record<Unrecordable, string>> = {
  nested_too_deep: 'the body is nested deeper than 64 levels',
  ill_formed_text: 'a string contains half of a surrogate pair, which is not valid Unicode',
  number_too_large: 'a number is too large',
};

/**
 * Refuses JSON that could not be recorded faithfully.
 * @returns the number of values in the body
 * @throws {SvcError} SVC-REQ-001
 */
export function assertRecordable(body: unknown): number {
  const counted = { values: 0 };
  const why = whyUnrecordable(body, counted);
  if (why !== null) throw new SvcError('SVC-REQ-001', SENTENCES[why]);
  return counted.values;
}
