import { isNextTo, isParticle, MAX_PARTICLES, NOTHING, PERSON, type Tags } from './tags.ts';
import { INITIAL, SMALL, type Token, WORD } from './tokens.ts';
import { LEADING_PARTICLES, SUFFIXES } from './words.ts';

/**
 * Maximum number of characters. A longer run is not a name, and each of its words is a run of its own. To its left, a word depends on this many
 * characters, one more word and particles (44), and the windows of both words (62): less than 160 in total.
 */
const LONGEST_NAME = 52;
/** The tokens of one name, from the first to the last. */
export interface Run {
  readonly kind: number;
  readonly first: number;
  readonly last: number;
}

export function runsOf(tokens: readonly Token[], tags: Tags): Run[] {
  const runs: Run[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const kind = tags.kinds[at] ?? NOTHING;
    if (kind === NOTHING) continue;
    const last = lastOf(tokens, tags, at, kind);
    if (lengthOf(tokens, at, last) <= LONGEST_NAME) runs.push({ kind, first: kind === PERSON ? firstOf(tokens, at) : at, last });
    else for (let each = at; each <= last; each++) if (tags.kinds[each] === kind) runs.push({ kind, first: each, last: each });
    at = last;
  }
  return runs;
}

/** The first token that can belong to the same name as the token at `at`. Text before it does not change later tags. */
export function firstLinked(tokens: readonly Token[], at: number): number {
  let first = at;
  while (first > 0 && isLinked(tokens, first)) first--;
  return first;
}

function lengthOf(tokens: readonly Token[], first: number, last: number): number {
  return (tokens[last]?.end ?? 0) - (tokens[first]?.start ?? 0);
}

function lastOf(tokens: readonly Token[], tags: Tags, first: number, kind: number): number {
  let last = first;
  for (let next = nextOf(tokens, tags, last, kind); next !== undefined; next = nextOf(tokens, tags, last, kind)) last = next;
  return last;
}

/** The next token of the same name: adjacent, or after particles. */
function nextOf(tokens: readonly Token[], tags: Tags, from: number, kind: number): number | undefined {
  for (let at = from + 1; at <= from + 1 + MAX_PARTICLES && isLinked(tokens, at); at++) {
    if (tags.kinds[at] === kind) return at;
    if (kind !== PERSON) return undefined;
    if (at === from + 1 && isSuffix(tokens[at])) return at;
    if (!isParticle(tokens[at])) return undefined;
  }
  return undefined;
}

/** Whether the token is "Jr" or the like, after a name. */
export function isSuffix(token: Token | undefined): boolean {
  return token !== undefined && token.shape !== SMALL && SUFFIXES.has(token.hash);
}

/** Whether a name may continue from the previous token, as in "J. R." and "J.R.". */
function isLinked(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at];
  if (token === undefined || (token.kind !== WORD && token.kind !== INITIAL)) return false;
  return isNextTo(token) || (token.gap === 0 && tokens[at - 1]?.kind === INITIAL);
}

/** Moves back over particles such as "van der". */
function firstOf(tokens: readonly Token[], from: number): number {
  let first = from;
  while (from - first < MAX_PARTICLES && isNextTo(tokens[first])) {
    const before = tokens[first - 1];
    if (before?.shape !== SMALL || !LEADING_PARTICLES.has(before.hash)) break;
    first--;
  }
  return first;
}
