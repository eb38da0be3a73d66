import type { Segment } from '@svc/contracts';
import { isCall, isInstruction, isSaid, isToolRole, turnOf } from '../segments/segment-kinds.ts';
import { lastIndexWhere } from '../work/last-index.ts';
import type { Piece } from '../work/places.ts';
import type { Found } from './found.ts';

type Span = Pick<Found, 'start' | 'end'>;

/**
 * Two or more texts that a model reads as one. A search of the joined texts finds matches that are split over them. See {@link jointsOf}.
 */
export interface Joint {
  /** Indexes of the segments. */
  readonly orders: readonly number[];
  /** The texts to search in addition to each segment: joined without and with spaces. */
  readonly texts: readonly [tight: string, spaced: string];
  /** Where each segment begins in `tight`. */
  readonly starts: readonly number[];
  /** Whether they are parts of one text, such as a message's content. If not, they are several messages. */
  readonly of_one: boolean;
}

type Joined = Pick<Segment, 'text' | 'kind' | 'role' | 'path' | 'is_thinking'>;

/** Matches where lists may occur: in a message or an answer, or in any content. */
const IN_TURN = /^(?:messages|choices|input|output)\.\d+\./;
const PLACE = /^\d+$/;

/**
 * Groups texts that a model reads as one, because APIs and clients join them:
 * - texts of one list, such as the parts of a content or of its reasoning;
 * - in a request, consecutive messages of one role, including refusals (instructions between them do not count);
 * - all instructions (`system`, `developer`), wherever they are;
 * - all text blocks of an answer of the Messages API.
 *
 * Tool results, thinking, and the choices, items and fields of an answer stay separate.
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
  // Usually no texts are joined.
  if (groups.size === segments.length) return [];
  return [...groups.values()].filter(({ length }) => length > 1).map((orders) => jointOf(orders, segments));
}

/**
 * The turn of each message, named after the turn's first message. Blank messages, which APIs omit, belong to no turn and do not end one. Tool results
 * belong to no turn either, although they may be in a user's message.
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

/** Whose message a segment belongs to. Tool results may be in a user's message. */
function speakerOf(segment: Joined): string | null {
  const turn = turnOf(segment);
  return turn === null ? null : `${turn} ${segment.role}`;
}

function speaks(segment: Joined): boolean {
  return isToolRole(segment.role) || isCall(segment) || (isSaid(segment) && segment.text.trim() !== '');
}

/** The list that contains a text, with its depth in place of the indexes. Parsed from the end, because keys of a caller may have any length. */
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

/** Converts a finding in one part to offsets in the tight text. */
export function fromPart<F extends Span>(found: F, joint: Joint, part: number): F {
  const base = joint.starts[part] ?? 0;
  return { ...found, start: found.start + base, end: found.end + base };
}

/** Converts a finding in the spaced text to offsets in the tight text. Null if it consists of a space between parts. */
export function fromSpaced<F extends Span>(found: F, { starts }: Joint): F | null {
  const tight = (offset: number): number =>
    offset - lastIndexWhere(starts.length, (part) => (starts[part] ?? 0) + part <= offset);
  const [start, end] = [tight(found.start), tight(found.end)];
  return start < end ? { ...found, start, end } : null;
}

/** Whether a finding in the tight text extends over more than one part. */
export function isSplit({ start, end }: Span, { starts }: Joint): boolean {
  return end > (starts[partAt(start, starts) + 1] ?? Infinity);
}

/** The pieces of a finding in the tight text, by segment. */
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
  return lastIndexWhere(starts.length, (part) => (starts[part] ?? 0) <= offset);
}

/**
 * What replaces each piece of a finding: the first piece gets the replacement, and the others are removed. If that would leave a part empty, which
 * APIs reject, the part gets the replacement as well.
 */
export function replacementOf(piece: Piece, first: boolean, replacement: string, { text }: Pick<Segment, 'text'>): string {
  return first || piece.end - piece.start === text.length ? replacement : '';
}
