import {
  type Found,
  fromPart,
  fromSpaced,
  inOwnText,
  isCheckedLast,
  isSplit,
  type Joint,
  jointsOf,
  piecesIn,
  type Reading,
  withoutOverlaps,
} from '@svc/toolkit/masking';
import type { FindPlaces, Place, SeenSegment, Steps } from '@svc/toolkit/work';
import { NAME_ENTITIES } from './entities.ts';
import { concerns, readingsOf } from './name-segments.ts';
import type { Scanner } from './scanner.ts';
import type { ScannerFor } from './scanners.ts';

/** Finds personal data in segments: in each text, and in the joined parts of a message. */
export function findIn(scannerFor: ScannerFor): FindPlaces<null> {
  return function* (segments) {
    const read = readingsOf(segments);
    const own: Found[][] = [];
    for (const [order, segment] of segments.entries()) {
      own.push(yield* ownFindings(segment, read[order], scannerFor(segment)));
      yield;
    }
    const places = own.map((found, order) => found.map((finding) => placeOf(finding, [{ ...finding, order }])));
    for (const joint of jointsOf(segments)) {
      const [first] = joint.orders.flatMap((order) => segments[order] ?? []);
      if (first === undefined) continue;
      const parts = joint.orders.map((order) => own[order] ?? []);
      const found = yield* placesInJoint(joint, parts, scannerFor(first));
      // Numbered segment by segment, so that text added later does not change earlier numbers.
      const byOrder = Map.groupBy(found, ({ pieces: [piece] }) => piece?.order);
      for (const order of joint.orders) places[order] = byOrder.get(order) ?? [];
    }
    // Findings are in the order of a stream, so that whole answers and streams have the same placeholder numbers.
    const last = segments.map(({ path }) => isCheckedLast(path));
    const inPlace = places.filter((_, order) => !last[order]);
    const held = places.filter((_, order) => last[order]);
    return { places: [...inPlace, ...held].flat(), summary: null };
  };
}

function* ownFindings(segment: SeenSegment, reading: Reading | undefined, scanner: Scanner): Steps<Found[]> {
  if (reading === undefined) return [];
  return (yield* scanner.find(reading.text)).flatMap((inReading) => {
    const found = inOwnText(inReading, reading);
    return found === null || !concerns(segment, found) ? [] : [found];
  });
}

/**
 * Findings in the parts, and those that appear only when the parts are joined. Ignores names that appear only when two texts are joined (`…Bob`
 * `Please…`). If the parts are separate messages, a finding in one message takes precedence over a finding in the joined text (`…456-7890` `ann@…`).
 */
function* placesInJoint(joint: Joint, own: readonly (readonly Found[])[], scanner: Scanner): Steps<Place[]> {
  const inParts = own.flatMap((found, part) => found.map((finding) => fromPart(finding, joint, part)));
  const [tight, spaced] = joint.texts;
  const inTight = yield* scanner.find(tight);
  const inSpaced = (yield* scanner.find(spaced)).flatMap((found) => fromSpaced(found, joint) ?? []);
  const credible = [...inTight, ...inSpaced].filter(
    (found) => !NAME_ENTITIES.includes(found.entity_type) || !isSplit(found, joint),
  );
  const weighed = joint.of_one ? credible : credible.map((found) => ({ ...found, score: found.score / 100 }));
  return withoutOverlaps([...inParts, ...weighed], tight.length).map((found) => placeOf(found, piecesIn(found, joint)));
}

function placeOf({ entity_type, score }: Found, pieces: readonly { order: number; start: number; end: number }[]): Place {
  return { entity_type, score, pieces: pieces.map(({ order, start, end }) => ({ order, start, end })) };
}
