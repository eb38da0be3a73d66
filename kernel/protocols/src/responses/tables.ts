import type { FieldTable, Place } from '@svc/contracts';
import { fieldTable } from '../common/field-table.ts';
import { RESPONSES_NAMES } from '../names/responses.ts';
import { answerPlace, meaningOf, requestPlace } from './places.ts';

/** The fields that the gateway writes into an answer. */
const HEAD = /^(id|created_at|completed_at|model|svc_left_out\.\*|svc_unsupported\.\*)$/;

export const RESPONSES_REQUEST: FieldTable = fieldTable('input', RESPONSES_NAMES, (pattern) => {
  if (pattern === 'model') return { isOwn: true };
  // A plain string is text of the user.
  if (pattern === 'input') return { role: 'user' };
  return meaningOf(requestPlace(pattern));
});

export const RESPONSES_ANSWER: FieldTable = fieldTable('', RESPONSES_NAMES, inAnswer);

export function inAnswer(pattern: string): Partial<Place> {
  if (HEAD.test(pattern)) return { isOwn: true };
  const place = answerPlace(pattern);
  const meaning = meaningOf(place);
  return pattern.startsWith('instructions.') ? { ...meaning, role: 'system' } : meaning;
}
