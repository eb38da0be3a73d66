import type { Edit, GuardResult, HeavyWork, Segment } from '@svc/sdk';
import { replacementOf } from '@svc/toolkit/masking';
import { type Finding, findPlaces, type Turns } from '@svc/toolkit/work';
import type { Options } from './options.ts';
import { placeholder, Tally } from './tally.ts';

/** Judges whole texts. Every secret is replaced, whatever the verdict. */
export async function judge(
  finding: Finding<null>,
  verdict: Options['verdict'],
  segments: readonly Segment[],
  work: HeavyWork,
  turns: Turns,
): Promise<GuardResult> {
  const tally = new Tally(verdict);
  const edits: Edit[] = [];
  const { places } = await findPlaces(finding, segments, work, turns);
  for (const { entity_type, pieces } of places) {
    tally.add(entity_type);
    for (const [n, piece] of pieces.entries()) {
      const segment = segments[piece.order];
      if (segment === undefined) continue;
      const replacement = replacementOf(piece, n === 0, placeholder(entity_type), segment);
      edits.push({ segment: segment.index, start: piece.start, end: piece.end, replacement });
    }
    if (turns.isOver) await turns.next();
  }
  return tally.result(edits);
}
