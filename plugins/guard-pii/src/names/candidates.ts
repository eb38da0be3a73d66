import { COMMON, FIRST_NAME, LAST_NAME, type WordLists } from './lists.ts';
import {
  BREAK,
  CAPITALISED,
  CAPITALS,
  INITIAL,
  LONGEST_WORD,
  MIXED,
  SIGN,
  SINGLE_CAPITAL,
  SMALL,
  type Token,
  WORD,
} from './tokens.ts';
import { GREETINGS, hashOf, NAME_WORDS, NEVER_IN_LOWER_CASE, TITLES } from './words.ts';

/** How many characters before a token's start may affect the token. */
const LEFT_WINDOW = 31;
/** A later token counts only if it starts within this many characters of a token's end. */
const RIGHT_WINDOW = 24;

/** Signs that join adjacent text into an address, a handle, a path or a tag. */
const GLUE = new Set([...'@#/\\_&{'].map((sign) => sign.charCodeAt(0)));
const COLON = 58;
const FULL_STOP = 46;
const IS = new Set([hashOf('is'), hashOf('was'), COLON]);

/** The token `by` places to the left, if it is in the window. */
export function leftOf(tokens: readonly Token[], at: number, by: number): Token | undefined {
  const token = tokens[at];
  const other = tokens[at - by];
  return token && other && other.start >= token.start - LEFT_WINDOW ? other : undefined;
}

/** The token `by` places to the right, if it is in the window. */
export function rightOf(tokens: readonly Token[], at: number, by: number): Token | undefined {
  const token = tokens[at];
  const other = tokens[at + by];
  return token && other && other.start < token.end + RIGHT_WINDOW ? other : undefined;
}

/** The lists that contain a token. */
export function listsOf(token: Token, lists: WordLists): number {
  if (token.lists < 0) token.lists = lists.of(token.hash);
  return token.lists;
}

/** Whether the token may be a name or part of one, judged by itself and the text before it. Later text can only rule it out. */
export function mayBeName(tokens: readonly Token[], at: number, lists: WordLists): boolean {
  const token = tokens[at];
  if (token === undefined || !isWord(token)) return false;
  switch (token.shape) {
    case CAPITALISED:
    case CAPITALS:
    case MIXED:
    case SINGLE_CAPITAL:
      return !isGluedLeft(tokens, at);
    case SMALL:
      return mayBeSmallName(tokens, at, lists) && !isGluedLeft(tokens, at);
    default:
      return false;
  }
}

export function isCandidate(tokens: readonly Token[], at: number, lists: WordLists): boolean {
  return mayBeName(tokens, at, lists) && !isGluedRight(tokens, at);
}

function isWord({ kind, start, end }: Token): boolean {
  return (kind === WORD && end - start <= LONGEST_WORD) || kind === INITIAL;
}

function isGluedLeft(tokens: readonly Token[], at: number): boolean {
  const left = leftOf(tokens, at, 1);
  if (left === undefined || tokens[at]?.gap !== 0 || left.kind === BREAK || left.kind === INITIAL) return false;
  if (left.kind !== SIGN) return true;
  if (left.hash !== FULL_STOP) return GLUE.has(left.hash);
  const before = leftOf(tokens, at, 2);
  return left.gap === 0 && before !== undefined && before.kind === WORD && !TITLES.has(before.hash);
}

function isGluedRight(tokens: readonly Token[], at: number): boolean {
  const right = rightOf(tokens, at, 1);
  if (right === undefined || right.gap !== 0) return false;
  if (right.kind !== SIGN) return tokens[at]?.kind !== INITIAL && right.kind !== BREAK;
  if (right.hash !== FULL_STOP) return GLUE.has(right.hash);
  const next = rightOf(tokens, at, 2);
  return next !== undefined && next.gap === 0 && next.kind === WORD && next.shape === SMALL;
}

/** Whether a lower-case word may be a name: it is a known name and not a common word, it follows a cue, or it follows a word that does. */
function mayBeSmallName(tokens: readonly Token[], at: number, lists: WordLists): boolean {
  const token = tokens[at];
  if (token === undefined || token.end - token.start < 3 || NEVER_IN_LOWER_CASE.has(token.hash)) return false;
  const known = listsOf(token, lists);
  if ((known & FIRST_NAME) !== 0 && (known & COMMON) === 0) return true;
  if (isAnnounced(tokens, at, 0)) return true;
  const left = leftOf(tokens, at, 1);
  if (left === undefined || left.kind !== WORD || left.shape !== SMALL || token.gap === 0 || token.gap > 2) return false;
  if (isAnnounced(tokens, at, 1) && !NEVER_IN_LOWER_CASE.has(left.hash)) return true;
  const before = listsOf(left, lists);
  return (before & FIRST_NAME) !== 0 && (before & COMMON) === 0 && ((known & LAST_NAME) !== 0 || (known & COMMON) === 0);
}

/** Whether a cue such as "my name is", "name:", "dear" or "mr." ends right before the token `by` places to the left. */
export function isAnnounced(tokens: readonly Token[], at: number, by: number): boolean {
  const one = leftOf(tokens, at, by + 1);
  const two = leftOf(tokens, at, by + 2);
  if (one === undefined) return false;
  if (one.kind === WORD && (GREETINGS.has(one.hash) || TITLES.has(one.hash))) return true;
  if (two === undefined || two.kind !== WORD) return false;
  if (one.kind === SIGN && one.hash === FULL_STOP) return TITLES.has(two.hash);
  return IS.has(one.hash) && NAME_WORDS.has(two.hash);
}
