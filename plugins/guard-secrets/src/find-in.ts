import {
  type Finder,
  type Found,
  fromPart,
  fromSpaced,
  inOwnText,
  type Joint,
  jointsOf,
  PLACEHOLDER,
  piecesIn,
  type Reading,
  readings,
} from '@svc/toolkit/masking';
import type { FindPlaces, Place, Steps } from '@svc/toolkit/work';
import type { Chosen } from './chosen.ts';
import { isCutOff } from './detectors/private-key.ts';
import { exactFinder } from './exact-finder.ts';
import { secretsIn } from './secrets-in.ts';

/** Finds the secrets in segments, from left to right in each. Secrets in joined texts come first. */
export function findIn(chosen: Chosen): FindPlaces<null> {
  const finder = exactFinder(chosen);
  return function* (segments) {
    const places: Place[] = [];
    const found = yield* inEach(readings(segments), chosen, finder);
    const joined = new Set<number>();
    for (const joint of jointsOf(segments)) {
      for (const order of joint.orders) joined.add(order);
      const parts = joint.orders.map((order) => found[order] ?? []);
      for (const secret of yield* inJoint(joint, parts, chosen, finder)) {
        places.push({ entity_type: secret.entity_type, score: secret.score, pieces: piecesIn(secret, joint) });
      }
    }
    for (const order of segments.keys()) {
      if (joined.has(order)) continue;
      for (const { entity_type, score, start, end } of found[order] ?? []) {
        places.push({ entity_type, score, pieces: [{ order, start, end }] });
      }
    }
    return { places, summary: null };
  };
}

/** The findings of each text, which is read after its key. */
function* inEach(read: readonly Reading[], chosen: Chosen, finder: Finder): Steps<Found[][]> {
  const found: Found[][] = [];
  for (const reading of read) {
    found.push((yield* secretsIn(reading.text, chosen, finder)).flatMap((secret) => inOwnText(secret, reading) ?? []));
    yield;
  }
  return found;
}

/** The findings in the parts of one message, and those that appear only when the parts are joined. */
function* inJoint(joint: Joint, parts: readonly (readonly Found[])[], chosen: Chosen, finder: Finder): Steps<Found[]> {
  const [tight, spaced] = joint.texts;
  const inParts = parts.flatMap((found, part) => found.map((secret) => fromPart(secret, joint, part)));
  const inTight = yield* secretsIn(tight, chosen, finder);
  const inSpaced = (yield* secretsIn(spaced, chosen, finder)).flatMap((secret) => fromSpaced(secret, joint) ?? []);
  const whole = inParts.filter(
    ({ entity_type, start, end }) => entity_type !== PLACEHOLDER && !isCutOff(tight.slice(start, end)),
  );
  const joined = [inTight, inSpaced].flatMap((found) => (joint.of_one ? found : apart(found, whole)));
  return merged([...inParts, ...joined]);
}

/**
 * The findings that overlap none of the others, both from left to right. Separate messages are read as one only for secrets that no message has alone,
 * because the next message often begins right after a whole secret.
 */
function apart(found: readonly Found[], others: readonly Found[]): Found[] {
  let at = 0;
  return found.filter(({ start, end }) => {
    while ((others[at]?.end ?? Infinity) <= start) at += 1;
    return (others[at]?.start ?? Infinity) >= end;
  });
}

/**
 * Merges overlapping findings into one, with the name of the most certain one or, among equals, the longest. A finding may have any length. The name of a
 * placeholder remains only if nothing extends beyond it, because the guard leaves texts with this name.
 */
function merged(found: readonly Found[]): Found[] {
  const result: Found[] = [];
  for (const next of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = result.at(-1);
    if (last === undefined || next.start >= last.end) {
      result.push(next);
      continue;
    }
    const whole = { start: last.start, end: Math.max(last.end, next.end) };
    const named = [last, next].filter((found) => found.entity_type !== PLACEHOLDER || lengthOf(found) === lengthOf(whole));
    const [one = last, other = one] = named;
    const { entity_type, score } = (other.score - one.score || lengthOf(other) - lengthOf(one)) > 0 ? other : one;
    result[result.length - 1] = { entity_type, score, ...whole };
  }
  return result;
}

function lengthOf({ start, end }: Pick<Found, 'start' | 'end'>): number {
  return end - start;
}
