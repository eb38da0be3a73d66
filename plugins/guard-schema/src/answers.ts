import type { Segment } from '@svc/sdk';

/** The content of an answer is one text, or parts of one. */
const CONTENT = /^choices\.\d+\.message\.content(\.\d+\.text)?$/;

/** The text of each answer, by choice; null if there is none. */
export function answersOf(segments: readonly Segment[]): (string | null)[] {
  const texts = new Map<number, string>();
  let last = 0;
  for (const { choice, path, kind, text } of segments) {
    if (choice === null) continue;
    last = Math.max(last, choice);
    if (kind === 'text' && CONTENT.test(path)) texts.set(choice, (texts.get(choice) ?? '') + text);
  }
  return Array.from({ length: last + 1 }, (_, choice) => texts.get(choice) ?? null);
}
