import type { SeenSegment } from './packed-segments.ts';

/** What a text costs beside its characters. */
const SEGMENT = 64;

/**
 * Whether texts together weigh at most so much: their code units, some for each text, and what `more` adds for a code unit that costs more
 * than others. Counts no further than it must.
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
