import type { Segment } from '@svc/contracts';
import { isCall, isInstruction, isSaid, isToolRole, turnOf } from '../segments/standing.ts';
import type { Piece } from '../work/places.ts';
import type { Found } from './found.ts';

type Span = Pick<Found, 'start' | 'end'>;

/** Two or more texts that a model reads as one. Searching them joined finds what is split over them. See {@link jointsOf}. */
export interface Joint {
  /** Their places in the segments. */
  readonly orders: readonly number[];
  /** What is to be searched beside each of them: all run together, and with a space between them. */
  readonly texts: readonly [tight: string, spaced: string];
  /** The offset of each in the first of these texts. */
  readonly starts: readonly number[];
  /** Whether they are the parts of one text, such as a message's content, and not several messages. */
  readonly of_one: boolean;
}

type Joined = Pick<Segment, 'text' | 'kind' | 'role' | 'path' | 'is_thinking'>;

/** Where lists may stand: within a turn or an answer, or in any content. */
const IN_TURN = /^(?:messages|choices|input|output)\.\d+\./;
const PLACE = /^\d+$/;

/**
 * Which texts are one to a model, since APIs and clients join them:
 * - texts of one list, such as the parts of a content or of its reasoning;
 * - in a request what one role says in turns that follow each other (instructions between them go elsewhere), a refusal included;
 * - all instructions (`system`, `developer`), wherever they stand;
 * - all text blocks of an answer of the Messages API.
 *
 * Results of tools, thinking, and choices, items and fields of an answer stay apart.
 */
export function jointsOf(segments: readonly Joined[]): Joint[] {
  if (segments.length < 2) return [];
  const groups = new Map<string, number[]>();
  const turns = turnsOf(segments);
  segments.forEach((segment, order) => {
    if (segment.kind !== 'text') return;
    const turn = isSaid(segment) ? speakerOf(segment) : null;
    const name = turn === null ? listOf(segment) : (turns.get(turn) ?? turn);
    if (name === undefined) return;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [order]);
    else group.push(order);
  });
  // Most texts stand alone.
  if (groups.size === segments.length) return [];
  return [...groups.values()].filter(({ length }) => length > 1).map((orders) => jointOf(orders, segments));
}

/**
 * The turn that each message is of, by the first message of it. APIs leave out blank messages: they are of none, and end none. Nor are results of tools of any, which may stand
 * in a message of a user.
 */
function turnsOf(segments: readonly Joined[]): ReadonlyMap<string, string> {
  const turns = new Map<string, string>();
  let speaker: string | null = null;
  let turn = '';
  for (const segment of segments) {
    const { role } = segment;
    const name = speakerOf(segment);
    if (name === null || !speaks(segment)) continue;
    if (isInstruction(role)) turns.set(name, 'instructions');
    else {
      const known = turns.get(name);
      if (known !== undefined) turn = known;
      else if (role !== speaker) turn = name;
      speaker = role;
      if (!isToolRole(role)) turns.set(name, turn);
    }
  }
  return turns;
}

/** Who speaks in which message: results of tools may stand in one of a user. */
function speakerOf(segment: Joined): string | null {
  const turn = turnOf(segment);
  return turn === null ? null : `${turn} ${segment.role}`;
}

function speaks(segment: Joined): boolean {
  return isToolRole(segment.role) || isCall(segment) || (isSaid(segment) && segment.text.trim() !== '');
}

/** The list that a text stands in, with all lists in it that are alike. Read from the end, since a caller's keys may be of any length. */
function listOf({ path }: Joined): string | undefined {
  const names = path.split('.');
  const last = names.at(-1);
  if (last === 'text' || last === 'refusal') names.pop();
  const own = IN_TURN.test(path) ? 3 : 0;
  let depth = 0;
  while (names.length - depth > own && PLACE.test(names.at(-1 - depth) ?? '')) depth += 1;
  if (depth === 0) return undefined;
  const owner = names.slice(0, -depth).join('.');
  if (owner === 'content' && last === 'text') return owner;
  return own > 0 || owner.endsWith('.content') ? `${owner} ${'.*'.repeat(depth)}` : undefined;
}

function jointOf(orders: readonly number[], segments: readonly Joined[]): Joint {
  const texts = orders.map((order) => segments[order]?.text ?? '');
  const starts: number[] = [];
  let at = 0;
  for (const { length } of texts) {
    starts.push(at);
    at += length;
  }
  const messages = new Set(orders.flatMap((order) => segments[order] ?? []).map(turnOf));
  return { orders, starts, texts: [texts.join(''), texts.join(' ')], of_one: messages.size === 1 };
}

/** A finding in one of the parts, in the text of all run together. */
export function fromPart<F extends Span>(found: F, joint: Joint, part: number): F {
  const base = joint.starts[part] ?? 0;
  return { ...found, start: found.start + base, end: found.end + base };
}

/** A finding in the text with spaces between the parts, in that of all run together; null if it was nothing but such a space. */
export function fromSpaced<F extends Span>(found: F, { starts }: Joint): F | null {
  const tight = (offset: number): number => offset - lastPart(starts.length, (part) => (starts[part] ?? 0) + part <= offset);
  const [start, end] = [tight(found.start), tight(found.end)];
  return start < end ? { ...found, start, end } : null;
}

/** Whether a finding in the text of all run together stands in more than one part. */
export function isSplit({ start, end }: Span, { starts }: Joint): boolean {
  return end > (starts[partAt(start, starts) + 1] ?? Infinity);
}

/** Where a finding in the text of all run together stands in the segments. */
export function piecesIn({ start, end }: Span, { orders, starts, texts: [tight] }: Joint): Piece[] {
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
