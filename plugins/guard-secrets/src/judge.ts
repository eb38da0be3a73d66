import { setImmediate } from 'node:timers/promises';
import {
  type Finder,
  type Found,
  fromPart,
  fromSpaced,
  inOwnText,
  type Joint,
  jointsOf,
  type Piece,
  piecesIn,
  readings,
  replacementOf,
} from '@svc/sdk/masking';
import type { Edit, GuardResult, Segment } from '@svc/sdk/plugin';
import type { Chosen } from './chosen.ts';
import type { Options } from './options.ts';
import { secretsIn } from './secrets-in.ts';
import { placeholder, Tally } from './tally.ts';

/** Texts are searched for so long before others have their turn. */
const SLICE_MS = 20;

/** Judges whole texts. Every secret is replaced, whatever the verdict. */
export async function judge(
  chosen: Chosen,
  finder: Finder,
  verdict: Options['verdict'],
  segments: readonly Segment[],
): Promise<GuardResult> {
  const tally = new Tally(verdict);
  const edits: Edit[] = [];
  const found = await inEach(segments, chosen, finder);
  const take = (entity: string, pieces: readonly Piece[]): void => {
    tally.add(entity);
    for (const [n, piece] of pieces.entries()) {
      const segment = segments[piece.order];
      if (segment === undefined) continue;
      const replacement = replacementOf(piece, n === 0, placeholder(entity), segment);
      edits.push({ segment: segment.index, start: piece.start, end: piece.end, replacement });
    }
  };
  const joined = new Set<number>();
  for (const joint of jointsOf(segments)) {
    for (const order of joint.orders) joined.add(order);
    const parts = joint.orders.map((order) => found[order] ?? []);
    for (const secret of await inJoint(joint, parts, chosen, finder)) take(secret.entity_type, piecesIn(secret, joint));
  }
  for (const order of segments.keys()) {
    if (joined.has(order)) continue;
    for (const { entity_type, start, end } of found[order] ?? []) take(entity_type, [{ order, start, end }]);
  }
  return tally.result(edits);
}

/** What stands in each of the texts, read after its key. */
async function inEach(segments: readonly Segment[], chosen: Chosen, finder: Finder): Promise<Found[][]> {
  const found: Found[][] = [];
  let began = performance.now();
  for (const reading of readings(segments)) {
    if (performance.now() - began > SLICE_MS) {
      await setImmediate();
      began = performance.now();
    }
    const secrets = await secretsIn(reading.text, chosen, finder);
    found.push(secrets.flatMap((secret) => inOwnText(secret, reading) ?? []));
  }
  return found;
}

/** What stands in the parts of one message, and what only shows where they are read as one. */
async function inJoint(joint: Joint, parts: readonly (readonly Found[])[], chosen: Chosen, finder: Finder): Promise<Found[]> {
  const [tight, spaced] = joint.texts;
  return merged([
    ...parts.flatMap((found, part) => found.map((secret) => fromPart(secret, joint, part))),
    ...(await secretsIn(tight, chosen, finder)),
    ...(await secretsIn(spaced, chosen, finder)).flatMap((secret) => fromSpaced(secret, joint) ?? []),
  ]);
}

/** Findings that overlap as one, which bears the name of the surest, then longest. They may be of any length. */
function merged(found: readonly Found[]): Found[] {
  const result: Found[] = [];
  for (const next of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = result.at(-1);
    if (last === undefined || next.start >= last.end) {
      result.push(next);
      continue;
    }
    const better = next.score - last.score || next.end - next.start - (last.end - last.start);
    const { entity_type, score } = better > 0 ? next : last;
    result[result.length - 1] = { entity_type, score, start: last.start, end: Math.max(last.end, next.end) };
  }
  return result;
}
