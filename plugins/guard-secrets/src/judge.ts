import type { Edit, GuardResult, HeavyWork, Segment } from '@svc/sdk';
import { replacementOf } from '@svc/toolkit/masking';
import { type Finding, type Findings, findPlaces, type Place, type Steps, soon, type Turns } from '@svc/toolkit/work';
import type { Options } from './options.ts';
import { placeholder, Tally } from './tally.ts';

/** Checks whole texts. Synchronous if the work fits into one turn of the event loop. Every secret is replaced, whatever the verdict is. */
export function judge(
  finding: Finding<null>,
  verdict: Options['verdict'],
  segments: readonly Segment[],
  work: HeavyWork,
  turns: Turns,
): GuardResult | Promise<GuardResult> {
  const found = findPlaces(finding, segments, work, turns);
  if (found instanceof Promise) return found.then((late) => soon(resultOf(late, verdict, segments), turns));
  return soon(resultOf(found, verdict, segments), turns);
}

function* resultOf(
  { places }: Findings<null, Iterable<Place>>,
  verdict: Options['verdict'],
  segments: readonly Segment[],
): Steps<GuardResult> {
  const tally = new Tally(verdict);
  const edits: Edit[] = [];
  for (const { entity_type, pieces } of places) {
    tally.add(entity_type);
    for (const [n, piece] of pieces.entries()) {
      const segment = segments[piece.order];
      if (segment === undefined) continue;
      const replacement = replacementOf(piece, n === 0, placeholder(entity_type), segment);
      edits.push({ segment: segment.index, start: piece.start, end: piece.end, replacement });
    }
    yield;
  }
  return tally.result(edits);
}
