import { type Finder, type Found, searchThrough, searchWith, withoutOverlaps } from '@svc/toolkit/masking';
import type { Chosen } from './chosen.ts';
import { SeeingScanner } from './seeing-scanner.ts';

/** What stands in a whole text: from left to right, without overlap. */
export function secretsIn(text: string, chosen: Chosen, finder: Finder): Found[] {
  const secrets: Found[] = [];
  let from = 0;
  const gap = (to: number): void => {
    if (to === from) return;
    const found = searchThrough(searchWith(finder)).advance(text.slice(from, to), true);
    // A finder of patterns answers at once.
    if (found instanceof Promise) throw new TypeError('the search has not ended');
    for (const { start, end, ...secret } of withoutOverlaps(found, to - from)) {
      secrets.push({ ...secret, start: from + start, end: from + end });
    }
  };
  let begun: Pick<Found, 'entity_type' | 'start' | 'score'> | null = null;
  for (const part of new SeeingScanner(chosen).advance(text, true)) {
    if (part.kind === 'begin') {
      gap(part.at);
      begun = { entity_type: part.entity, start: part.at, score: part.score };
    } else if (part.kind === 'end' && begun !== null) {
      secrets.push({ ...begun, end: part.at });
      from = part.at;
    }
  }
  gap(text.length);
  return secrets;
}
