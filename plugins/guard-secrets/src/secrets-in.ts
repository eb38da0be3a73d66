import { type Finder, type Found, searchThrough, searchWith, withoutOverlaps } from '@svc/sdk/masking';
import type { Chosen } from './chosen.ts';
import { SeeingScanner } from './seeing-scanner.ts';

/** What stands in a whole text: from left to right, without overlap. */
export async function secretsIn(text: string, chosen: Chosen, finder: Finder): Promise<Found[]> {
  const secrets: Found[] = [];
  let from = 0;
  const gap = async (to: number): Promise<void> => {
    const found = withoutOverlaps(await searchThrough(searchWith(finder)).advance(text.slice(from, to), true), to - from);
    for (const { start, end, ...secret } of found) secrets.push({ ...secret, start: from + start, end: from + end });
  };
  let begun: Pick<Found, 'entity_type' | 'start' | 'score'> | null = null;
  for (const part of new SeeingScanner(chosen).advance(text, true)) {
    if (part.kind === 'begin') {
      await gap(part.at);
      begun = { entity_type: part.entity, start: part.at, score: part.score };
    } else if (part.kind === 'end' && begun !== null) {
      secrets.push({ ...begun, end: part.at });
      from = part.at;
    }
  }
  await gap(text.length);
  return secrets;
}
