import { type Finder, inOwnText, readings, withoutOverlaps } from '@svc/sdk/masking';
import type { Edit, GuardResult, Segment } from '@svc/sdk/plugin';
import type { Chosen } from './chosen.ts';
import { EndlessScanner } from './endless-scanner.ts';
import type { Options } from './options.ts';
import { placeholder, Tally } from './tally.ts';

/** Judges whole texts. Every secret is replaced, whatever the verdict. */
export async function judge(
  chosen: Chosen,
  finder: Finder,
  verdict: Options['verdict'],
  segments: readonly Segment[],
): Promise<GuardResult> {
  const tally = new Tally(verdict);
  const edits: Edit[] = [];
  const read = readings(segments);
  for (const [order, { index }] of segments.entries()) {
    const reading = read[order];
    if (reading === undefined) continue;
    for (const secret of await secretsIn(reading.text, chosen, finder)) {
      const own = inOwnText(secret, reading);
      if (own === null) continue;
      tally.add(own.entity);
      edits.push({ segment: index, start: own.start, end: own.end, replacement: placeholder(own.entity) });
    }
  }
  return tally.result(edits);
}

interface Secret {
  readonly entity: string;
  readonly start: number;
  readonly end: number;
}

/** From left to right, without overlap. */
async function secretsIn(text: string, chosen: Chosen, finder: Finder): Promise<Secret[]> {
  const secrets: Secret[] = [];
  let from = 0;
  const gap = async (to: number): Promise<void> => {
    const found = withoutOverlaps(await finder.find(text.slice(from, to), 0), to - from);
    for (const { entity_type, start, end } of found) {
      secrets.push({ entity: entity_type, start: from + start, end: from + end });
    }
  };
  let begun: { entity: string; at: number } | null = null;
  for (const part of new EndlessScanner(chosen).advance(text, true)) {
    if (part.kind === 'begin') {
      await gap(part.at);
      begun = part;
    } else if (part.kind === 'end' && begun !== null) {
      secrets.push({ entity: begun.entity, start: begun.at, end: part.at });
      from = part.at;
    }
  }
  await gap(text.length);
  return secrets;
}
