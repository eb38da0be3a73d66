import { isAnnounced, leftOf, listsOf, rightOf } from './candidates.ts';
import { FIRST_NAME, LAST_NAME, RARE_NAME, type WordLists } from './lists.ts';
import { BREAK, NUMBER, SIGN, SMALL, type Token, WORD } from './tokens.ts';
import { hashOf } from './words.ts';

const sign = (character: string): number => character.charCodeAt(0);
const [COLON, EQUALS, HYPHEN, GREATER, STAR, OPENING, AMPERSAND, OPENING_SQUARE, CLOSING_SQUARE] = [...':=->*(&[]'].map(sign);
/** Keywords before an identifier that prose does not have. */
const DEFINING: ReadonlySet<number> = new Set(
  'func fn def impl struct enum typedef const instanceof chan elif'.split(' ').map(hashOf),
);
const VALUES: ReadonlySet<number> = new Set([...'"\'`{[&*'].map(sign));
/** Fewer spaces may be a slip in prose. */
const COLUMN_GAP = 3;

/**
 * Whether a word stands where only code has words: it is assigned (`lis :=`), dereferenced (`Ty->`, `*Elt`), an argument (`size(Ty`), a key
 * (`Errmsg: "…"`), a field in columns (`Ctim    Timespec`, `Iov    *Iovec`), or follows `func` or brackets (`[]Conn`). Known names stay in the places
 * that prose has too. Depends on the token and the two after it.
 */
export function isInCode(tokens: readonly Token[], at: number, lists: WordLists): boolean {
  const token = tokens[at];
  if (token === undefined || token.kind !== WORD) return false;
  const next = rightOf(tokens, at, 1);
  const second = rightOf(tokens, at, 2);
  if (isOperator(next, second) || isDefined(tokens, at) || isPointerColumn(tokens, at)) return true;
  if ((listsOf(token, lists) & (FIRST_NAME | LAST_NAME | RARE_NAME)) !== 0 || isAnnounced(tokens, at, 0)) return false;
  return (
    isDereferenced(tokens, at, next) || isArgument(tokens, at) || isKey(tokens, at, next, second) || isColumn(tokens, at, next)
  );
}

/** `:=` and `->`. */
function isOperator(next: Token | undefined, second: Token | undefined): boolean {
  if (next?.kind !== SIGN || second?.kind !== SIGN || second.gap !== 0) return false;
  return (next.hash === COLON && second.hash === EQUALS) || (next.hash === HYPHEN && next.gap === 0 && second.hash === GREATER);
}

/** `func Marshal`, `[]Conn`, `[2]Timeval`. */
function isDefined(tokens: readonly Token[], at: number): boolean {
  const before = leftOf(tokens, at, 1);
  if (before?.kind === WORD) return before.shape === SMALL && DEFINING.has(before.hash) && isNextTo(tokens[at]);
  if (!isSign(before, CLOSING_SQUARE) || tokens[at]?.gap !== 0) return false;
  return before?.gap === 0 && (isSign(leftOf(tokens, at, 2), OPENING_SQUARE) || isSign(leftOf(tokens, at, 3), OPENING_SQUARE));
}

/** `*Elt` and `&Elt`. In `*Elt*`, the stars are emphasis. */
function isDereferenced(tokens: readonly Token[], at: number, next: Token | undefined): boolean {
  const before = leftOf(tokens, at, 1);
  if (before?.kind !== SIGN || tokens[at]?.gap !== 0 || isSign(next, STAR)) return false;
  return (before.hash === STAR || before.hash === AMPERSAND) && !isSign(leftOf(tokens, at, 2), STAR);
}

/** `Iov    *Iovec`: a type in the second column. */
function isPointerColumn(tokens: readonly Token[], at: number): boolean {
  const star = leftOf(tokens, at, 1);
  return isSign(star, STAR) && (star?.gap ?? 0) >= COLUMN_GAP && tokens[at]?.gap === 0 && leftOf(tokens, at, 2)?.kind === WORD;
}

/** The first argument of a call. In prose, a space comes before a bracket. */
function isArgument(tokens: readonly Token[], at: number): boolean {
  const bracket = leftOf(tokens, at, 1);
  return isSign(bracket, OPENING) && bracket?.gap === 0 && tokens[at]?.gap === 0 && leftOf(tokens, at, 2)?.kind === WORD;
}

/** A key at the beginning of a line, before a literal in a column of its own. In a dialogue, a name may come before a quotation. */
function isKey(tokens: readonly Token[], at: number, next: Token | undefined, value: Token | undefined): boolean {
  const before = tokens[at - 1];
  if (before !== undefined && before.kind !== BREAK) return false;
  if (!isSign(next, COLON) || next?.gap !== 0 || value === undefined) return false;
  return value.gap > 1 && (value.kind === NUMBER || (value.kind === SIGN && VALUES.has(value.hash)));
}

/** One of two columns of words without names, as in the fields of a structure. */
function isColumn(tokens: readonly Token[], at: number, next: Token | undefined): boolean {
  const token = tokens[at];
  const before = leftOf(tokens, at, 1);
  const isAfterColumn = before?.kind === WORD && (token?.gap ?? 0) >= COLUMN_GAP;
  return (
    isAfterColumn ||
    (next !== undefined && next.gap >= COLUMN_GAP && next.kind === WORD && (before === undefined || before.kind === BREAK))
  );
}

function isSign(token: Token | undefined, hash: number | undefined): boolean {
  return token?.kind === SIGN && token.hash === hash;
}

function isNextTo(token: Token | undefined): boolean {
  return token !== undefined && token.gap > 0 && token.gap < COLUMN_GAP;
}
