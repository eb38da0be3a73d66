import type { Segment } from '@svc/sdk';
import { isSaid, turnOf } from '@svc/toolkit/segments';

/** Embedders accept a few thousand words. A question has fewer. */
const MAX_CHARACTERS = 8000;

/** The text of the last user message, or null. */
export function questionIn(segments: readonly Segment[]): string | null {
  const said = segments.filter((segment) => segment.role === 'user' && segment.kind === 'text' && isSaid(segment));
  const last = said.at(-1);
  if (last === undefined) return null;
  const texts = said.filter((segment) => turnOf(segment) === turnOf(last)).map(({ text }) => text);
  const question = texts.join('\n').slice(0, MAX_CHARACTERS).toWellFormed();
  return question.trim() === '' ? null : question;
}
