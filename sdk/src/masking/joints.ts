import type { Segment } from '@svc/kernel/contracts';
import type { Found } from './found.ts';

/** Two or more text parts of one message's content. A model reads them as one text, so what is split over them is found as well. */
export interface Joint {
  /** Their places in the segments. */
  readonly orders: readonly number[];
  /** What is to be searched beside each of them: all run together, and with a space between them. */
  readonly texts: readonly [tight: string, spaced: string];
  /** Where each begins in the first of these texts. */
  readonly starts: readonly number[];
}

/** Where a finding stands in one segment. */
export interface Piece {
  readonly order: number;
  readonly start: number;
  readonly end: number;
}

const PART = /^(.*\.content)\.\d+(?:\.text)?$/;

export function jointsOf(segments: readonly Pick<Segment, 'text' | 'kind' | 'path'>[]): Joint[] {
  const groups = new Map<string, number[]>();
  for (const [order, { kind, path }] of segments.entries()) {
    const content = kind === 'text' ? PART.exec(path)?.[1] : undefined;
    if (content === undefined) continue;
    const group = groups.get(content);
    if (group === undefined) groups.set(content, [order]);
    else group.push(order);
  }
  return [...groups.values()].filter(({ length }) => length > 1).map((orders) => jointOf(orders, segments));
}

function jointOf(orders: readonly number[], segments: readonly Pick<Segment, 'text'>[]): Joint {
  const texts = orders.map((order) => segments[order]?.text ?? '');
  const starts: number[] = [];
  let at = 0;
  for (const { length } of texts) {
    starts.push(at);
    at += length;
  }
  return { orders, starts, texts: [texts.join(''), texts.join(' ')] };
}

/** A finding in one of the parts, in the text of all run together. */
export function fromPart<F extends Found>(found: F, joint: Joint, part: number): F {
  const base = joint.starts[part] ?? 0;
  return { ...found, start: found.start + base, end: found.end + base };
}

/** A finding in the text with spaces between the parts, in that of all run together; null where it was nothing but such a space. */
export function fromSpaced<F extends Found>(found: F, { starts }: Joint): F | null {
  const tight = (offset: number): number => offset - lastPart(starts.length, (part) => (starts[part] ?? 0) + part <= offset);
  const [start, end] = [tight(found.start), tight(found.end)];
  return start < end ? { ...found, start, end } : null;
}

/** Whether a finding in the text of all run together stands in more than one part. */
export function isSplit({ start, end }: Found, { starts }: Joint): boolean {
  return end > (starts[partAt(start, starts) + 1] ?? Infinity);
}

/** Where a finding in the text of all run together stands in the segments. */
export function piecesIn({ start, end }: Found, { orders, starts, texts: [tight] }: Joint): Piece[] {
  const pieces: Piece[] = [];
  for (let part = partAt(start, starts); part < orders.length; part++) {
    const from = starts[part] ?? 0;
    if (from >= end) break;
    const to = Math.min(end, starts[part + 1] ?? tight.length);
    if (to > Math.max(start, from))
      pieces.push({ order: orders[part] ?? 0, start: Math.max(start, from) - from, end: to - from });
  }
  return pieces;
}

function partAt(offset: number, starts: readonly number[]): number {
  return lastPart(starts.length, (part) => (starts[part] ?? 0) <= offset);
}

/** The last of which it holds, by halving: what comes after one of which it does not hold is the same. */
function lastPart(count: number, holds: (part: number) => boolean): number {
  let low = 0;
  for (let high = count; high - low > 1; ) {
    const middle = (low + high) >> 1;
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * What stands in place of each piece of a finding: the first has the replacement, of the others nothing is left. Where that would leave
 * a part empty, which APIs refuse, it has the replacement as well.
 */
export function replacementOf(piece: Piece, first: boolean, replacement: string, { text }: Pick<Segment, 'text'>): string {
  return first || piece.end - piece.start === text.length ? replacement : '';
}
