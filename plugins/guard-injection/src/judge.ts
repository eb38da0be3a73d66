import { allow, type Edit, type GuardResult, type HeavyWork, type Segment, sanitize } from '@svc/sdk';
import { type Finding, findPlaces, type Turns } from '@svc/toolkit/work';
import { SIGNALS } from './cues/signals.ts';
import { type Alarms, HIDING } from './find-in.ts';
import type { Options } from './options.ts';

/** The code of the result is the strongest signal of the highest-scoring text. */
export async function judge(
  { verdict }: Options,
  finding: Finding<Alarms>,
  segments: readonly Segment[],
  work: HeavyWork,
  turns: Turns,
): Promise<GuardResult> {
  const { places, summary } = await findPlaces(finding, segments, work, turns);
  const edits: Edit[] = [];
  for (const { pieces } of places) {
    for (const { order, start, end } of pieces) {
      edits.push({ segment: segments[order]?.index ?? order, start, end, replacement: '' });
    }
    if (turns.isOver) await turns.next();
  }
  const counts = new Map(summary.counts.map(([signal, count, origins]) => [signal, { count, origins }]));
  const findings = SIGNALS.flatMap((signal) => {
    const { count: texts, origins } = counts.get(signal) ?? { count: 0, origins: undefined };
    const count = texts + (signal === HIDING ? edits.length : 0);
    return count > 0 ? [{ entity_type: signal, count, ...(origins !== undefined && { origins }) }] : [];
  });
  if (summary.worst !== null) return { verdict, code: summary.worst, edits, findings };
  if (edits.length > 0) return sanitize(HIDING, { edits, findings });
  return allow('no-match');
}
