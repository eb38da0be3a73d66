import { type Finder, type Found, searchThrough, searchWith, withoutOverlaps } from '@svc/toolkit/masking';
import { type Steps, slices } from '@svc/toolkit/work';
import type { Chosen } from './chosen.ts';
import type { Part } from './endless-scanner.ts';
import { VisibleScanner } from './visible-scanner.ts';

/** How many code units are searched in one step, which takes some milliseconds. */
const WINDOW = 16_384;

/** The secrets in a whole text, from left to right, without overlap. */
export function* secretsIn(text: string, chosen: Chosen, finder: Finder): Steps<Found[]> {
  const secrets: Found[] = [];
  let from = 0;
  let begun: Pick<Found, 'entity_type' | 'start' | 'score'> | null = null;
  for (const part of yield* endlessIn(text, chosen)) {
    if (part.kind === 'begin') {
      yield* addFound(secrets, text, from, part.at, finder);
      begun = { entity_type: part.entity, start: part.at, score: part.score };
    } else if (part.kind === 'end' && begun !== null) {
      secrets.push({ ...begun, end: part.at });
      from = part.at;
    }
  }
  yield* addFound(secrets, text, from, text.length, finder);
  return secrets;
}

/** The beginnings and ends of secrets of any length. */
function* endlessIn(text: string, chosen: Chosen): Steps<Part[]> {
  const scanner = new VisibleScanner(chosen);
  const parts: Part[] = [];
  const take = (piece: string, ended: boolean): void => {
    for (const part of scanner.advance(piece, ended)) if (part.kind !== 'text') parts.push(part);
  };
  for (const slice of slices(text, WINDOW)) {
    take(slice, false);
    yield;
  }
  take('', true);
  return parts;
}

/** Adds the secrets found between two such parts. */
function* addFound(secrets: Found[], text: string, from: number, to: number, finder: Finder): Steps<void> {
  if (to === from) return;
  const search = searchThrough(searchWith(finder));
  const all: Found[] = [];
  const take = (piece: string, ended: boolean): void => {
    const found = search.advance(piece, ended);
    // A finder of patterns returns synchronously.
    if (found instanceof Promise) throw new TypeError('the search did not return synchronously');
    all.push(...found);
  };
  for (const slice of slices(text.slice(from, to), WINDOW)) {
    take(slice, false);
    yield;
  }
  take('', true);
  for (const { start, end, ...secret } of withoutOverlaps(all, to - from)) {
    secrets.push({ ...secret, start: from + start, end: from + end });
  }
}
