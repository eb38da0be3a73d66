import type { Segment } from '@svc/sdk';

/** Embedders accept a few thousand words, and a question has fewer. */
const MAX_CHARACTERS = 8000;

/** The text of the last user message; null if there is none. */
export function questionIn(segments: readonly Segment[]): string | null {
  const asked = segments.flatMap((segment) => {
    const message = /^messages\.(\d+)\.content(?:\.|$)/.exec(segment.path)?.[1];
    return segment.role === 'user' && segment.kind === 'text' && message !== undefined
      ? [{ message: Number(message), text: segment.text }]
      : [];
  });
  const last = Math.max(...asked.map(({ message }) => message));
  const texts = asked.filter(({ message }) => message === last).map(({ text }) => text);
  const question = texts.join('\n').slice(0, MAX_CHARACTERS).toWellFormed();
  return question.trim() === '' ? null : question;
}
