import { leftOf, listsOf, rightOf } from './candidates.ts';
import { lowered } from './characters.ts';
import { HASH_FACTOR } from './hash.ts';
import type { WordLists } from './lists.ts';
import { BREAK, SIGN, SMALL, type Token, WORD } from './tokens.ts';
import { PARTICLES } from './words.ts';

/** Size of the weight table of one entity. */
export const BUCKETS = 1 << 18;
/** Upper bound of the features of a candidate. */
export const MAX_FEATURES = 96;
/** How many characters of a word contribute letter triples. */
const SPELT = 14;

/** How many particles and initials are skipped at most to find the word before them. */
const SKIPPED = 3;

const EDGE = 0x5bd1e995;

/**
 * How many tokens after the candidate each feature depends on, in the order in which {@link featuresOf} writes the features. All further features
 * depend on the candidate alone.
 */
export const BEHIND: readonly number[] = [
  ...[0, 0, 0, 0, 0, 0, 0, 0, 1, 2],
  ...[0, 0, 2, 1, 0, 1, 1, 0, 2, 0],
  ...[2, 0, 1, 0, 1, 1, 1, 0, 0],
];

/** Writes the buckets of a candidate's features to `into`. Returns the number of features. */
export function featuresOf(text: string, tokens: readonly Token[], at: number, lists: WordLists, into: Int32Array): number {
  const token = tokens[at];
  if (token === undefined) return 0;
  const l1 = leftOf(tokens, at, 1);
  const l2 = leftOf(tokens, at, 2);
  const l3 = leftOf(tokens, at, 3);
  const r1 = rightOf(tokens, at, 1);
  const r2 = rightOf(tokens, at, 2);
  const known = listsOf(token, lists);
  const form = known * 8 + token.shape;
  const w = token.hash;
  const wl1 = wordOf(l1);
  const wl2 = wordOf(l2);
  const wl3 = wordOf(l3);
  const wr1 = wordOf(r1);
  const wr2 = wordOf(r2);
  const fl1 = formOf(l1, lists);
  const fl2 = formOf(l2, lists);
  const fr1 = formOf(r1, lists);
  const fr2 = formOf(r2, lists);
  const values = [
    0,
    w,
    form,
    known,
    token.shape,
    wl1,
    wl2,
    wl3,
    wr1,
    wr2,
    pair(wl2, wl1),
    pair(pair(wl3, wl2), wl1),
    pair(wr1, wr2),
    pair(wl1, wr1),
    pair(fl1, form),
    pair(form, fr1),
    pair(pair(fl1, form), fr1),
    pair(fl2, fl1),
    pair(fr1, fr2),
    pair(pair(fl2, fl1), form),
    pair(pair(form, fr1), fr2),
    pair(wl1, form),
    pair(wr1, form),
    pair(pair(wl2, wl1), form),
    pair(wl1, fr1),
    pair(fl1, wr1),
    pair(token.gap > 2 ? 3 : token.gap, r1 === undefined ? 7 : r1.gap > 2 ? 3 : r1.gap),
    Math.min(token.end - token.start, 12),
    pair(formOf(beforeParticles(tokens, at), lists), form),
  ];
  let count = 0;
  for (let feature = 0; feature < values.length; feature++) into[count++] = bucket(feature, values[feature] ?? 0);
  return spelling(text, token, into, count);
}

/** The word before particles such as "de la" and initials. */
function beforeParticles(tokens: readonly Token[], at: number): Token | undefined {
  for (let by = 1; by <= SKIPPED; by++) {
    const left = leftOf(tokens, at, by);
    if (left === undefined || left.kind === SIGN || left.kind === BREAK) return undefined;
    if (left.kind === WORD && !PARTICLES.has(left.hash)) return left;
  }
  return undefined;
}

/** The prefixes, suffixes and triples of letters of a word. */
function spelling(text: string, { start, end, kind }: Token, into: Int32Array, from: number): number {
  let count = from;
  if (kind !== WORD) return count;
  const last = Math.min(end, start + SPELT);
  let before = 1;
  let current = lowered(text.charCodeAt(start));
  for (let at = start + 1; at <= last; at++) {
    const next = at === end ? 2 : lowered(text.charCodeAt(at));
    into[count++] = bucket(40, (before << 22) ^ (current << 11) ^ next);
    before = current;
    current = next;
  }
  into[count++] = bucket(41, piece(text, start, Math.min(start + 3, end)));
  into[count++] = bucket(42, piece(text, Math.max(end - 2, start), end));
  into[count++] = bucket(43, piece(text, Math.max(end - 3, start), end));
  into[count++] = bucket(44, piece(text, Math.max(end - 4, start), end));
  return count;
}

function piece(text: string, start: number, end: number): number {
  let hash = end - start;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ lowered(text.charCodeAt(at)), HASH_FACTOR);
  return hash;
}

function wordOf(token: Token | undefined): number {
  if (token === undefined) return EDGE;
  return token.kind === SIGN || token.kind === BREAK ? token.hash ^ (token.kind << 24) : token.hash;
}

/** The form of a neighbour: its lists if it is capitalised, otherwise its sign. */
function formOf(token: Token | undefined, lists: WordLists): number {
  if (token === undefined) return EDGE;
  if (token.kind === SIGN) return 0x10000 + token.hash;
  if (token.kind !== WORD) return 0x20000 + token.kind * 64 + (token.kind === BREAK ? token.hash : 0);
  if (token.shape === SMALL) return listsOf(token, lists) * 8;
  return listsOf(token, lists) * 8 + token.shape + 0x40000;
}

function pair(one: number, other: number): number {
  return Math.imul(one ^ (one >>> 15), 0x2c1b3c6d) ^ Math.imul(other, 0x297a2d39);
}

function bucket(feature: number, value: number): number {
  let hash = Math.imul(value ^ Math.imul(feature + 1, 0x9e3779b1), 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) & (BUCKETS - 1);
}
