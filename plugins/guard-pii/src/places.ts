import {
  type Found,
  fromPart,
  fromSpaced,
  inOwnText,
  isSplit,
  type Joint,
  jointsOf,
  type Piece,
  piecesIn,
  type Reading,
  withoutOverlaps,
} from '@svc/sdk/masking';
import type { Segment } from '@svc/sdk/plugin';
import { NAME_ENTITIES } from './entities.ts';
import { concerns, readingsOf } from './name-segments.ts';

/** Something that was found, and where: in one segment, or split over several text parts of one message. */
export interface Place {
  readonly found: Found;
  readonly pieces: readonly Piece[];
}

/** Fields whose text flows through a stream. What does not flow is judged after all of them, so here too: placeholders are numbered alike. */
const FLOWING = /^choices\.\d+\.message\.(?:content|refusal|reasoning_content)$/;

/** The texts of a request or an answer, to be scanned, and what was found told by segments. */
export class Places {
  readonly #segments: readonly Segment[];
  readonly #read: readonly Reading[];
  readonly #joints: readonly Joint[];

  constructor(segments: readonly Segment[]) {
    this.#segments = segments;
    this.#read = readingsOf(segments);
    this.#joints = jointsOf(segments);
  }

  /** What to scan: each text in its place, and parts of one message joined. */
  get texts(): readonly string[] {
    return [...this.#read.map(({ text }) => text), ...this.#joints.flatMap(({ texts }) => texts)];
  }

  /** @param found in each of the texts, in order */
  of(found: readonly (readonly Found[])[]): Place[] {
    const places = this.#segments.map((segment, order) => this.#own(segment, order, found[order] ?? []));
    for (const [index, joint] of this.#joints.entries()) {
      const [first = 0, ...others] = joint.orders;
      const at = this.#segments.length + 2 * index;
      const own = joint.orders.map((order) => places[order] ?? []);
      places[first] = placesInJoint(joint, own, found[at] ?? [], found[at + 1] ?? []);
      for (const order of others) places[order] = [];
    }
    const flows = this.#segments.map(({ path }) => FLOWING.test(path));
    const inFlow = places.filter((_, order) => flows[order]);
    const held = places.filter((_, order) => !flows[order]);
    return [...inFlow, ...held].flat();
  }

  #own(segment: Segment, order: number, found: readonly Found[]): Place[] {
    const reading = this.#read[order];
    if (reading === undefined) return [];
    return found.flatMap((inReading) => {
      const own = inOwnText(inReading, reading);
      return own === null || !concerns(segment, own) ? [] : [{ found: own, pieces: [{ order, start: own.start, end: own.end }] }];
    });
  }
}

/** What stands in the parts, and what only shows where they are read as one. A name that only joining makes is none (`…Bob` `Please…`). */
function placesInJoint(
  joint: Joint,
  own: readonly (readonly Place[])[],
  tight: readonly Found[],
  spaced: readonly Found[],
): Place[] {
  const inParts = own.flatMap((places, part) => places.map(({ found }) => fromPart(found, joint, part)));
  const joined = [...tight, ...spaced.flatMap((found) => fromSpaced(found, joint) ?? [])];
  const credible = joined.filter((found) => !NAME_ENTITIES.includes(found.entity_type) || !isSplit(found, joint));
  return withoutOverlaps([...inParts, ...credible], joint.texts[0].length).map((found) => ({
    found,
    pieces: piecesIn(found, joint),
  }));
}
