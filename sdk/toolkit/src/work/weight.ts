import type { SeenSegment } from './packed-segments.ts';

/** How much each text counts in addition to its code units. */
const SEGMENT = 64;

/**
 * Whether the total weight of texts is at most `most`: their code units, an amount per text, and `more` for code units that cost more than others.
 * Stops counting at the limit.
 */
export function weighsAtMost(most: number, segments: readonly SeenSegment[], more?: (code: number) => number): boolean {
  let weight = segments.length * SEGMENT;
  for (const { text } of segments) {
    weight += text.length;
    if (weight > most) return false;
  }
  if (more === undefined) return true;
  for (const { text } of segments) {
    for (let at = 0; at < text.length && weight <= most; at++) weight += more(text.charCodeAt(at));
  }
  return weight <= most;
}
