import type { Segment } from '@svc/sdk';
import { isAnswered } from '@svc/toolkit/segments';

/** The text of each answer, by choice. Null for a choice without text. */
export function answersOf(segments: readonly Segment[]): (string | null)[] {
  const texts = new Map<number, string>();
  let last = 0;
  for (const segment of segments) {
    const { choice, text } = segment;
    if (choice === null) continue;
    last = Math.max(last, choice);
    if (isAnswered(segment)) texts.set(choice, (texts.get(choice) ?? '') + text);
  }
  return Array.from({ length: last + 1 }, (_, choice) => texts.get(choice) ?? null);
}
