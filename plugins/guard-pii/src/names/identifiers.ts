import { listsOf, rightOf } from './candidates.ts';
import { characterClass, LOWER, UPPER } from './characters.ts';
import { isInCode } from './code-places.ts';
import { FIRST_NAME, LAST_NAME, type WordLists } from './lists.ts';
import { CAPITALS, MIXED, NUMBER, SIGN, SMALL, type Token } from './tokens.ts';
import { CONTRACTIONS } from './words.ts';

/** Text before a capital inside a name: `McDonald`, `DeSand`. */
const HUMPS: ReadonlySet<string> = new Set(
  'mc mac de di du da del della la le lo las los van von vander fitz san st o jo ja ma'.split(' '),
);
const [OPENING, OPENING_SQUARE, EQUALS, CLOSING, COLON] = [...'([=):'].map((sign) => sign.charCodeAt(0));

/**
 * Whether the form of a token shows that it is not a name: a contraction (`Don't`), capitals inside a word (`TypeError`), a call or a subscript
 * (`len(`, `Len()`, `Tuple[`, `subok=`), a scope (`Athena::`). Depends on the token and the two after it.
 */
export function isIdentifier(text: string, tokens: readonly Token[], at: number, lists: WordLists): boolean {
  const token = tokens[at];
  if (token === undefined) return false;
  if (CONTRACTIONS.has(token.hash) || (token.shape === MIXED && hasHump(text, token))) return true;
  return isCalled(tokens, at, lists) || isInCode(tokens, at, lists);
}

/** Whether a capital follows a lower-case letter, or two capitals come before one, other than in names. Hyphens and apostrophes separate words. */
function hasHump(text: string, { start, end }: Token): boolean {
  let from = start;
  let capitals = 0;
  for (let at = start; at < end; at++) {
    const kind = characterClass(text.charCodeAt(at));
    if (kind === UPPER) {
      if (at > from && capitals === 0 && !HUMPS.has(text.slice(from, at).toLowerCase())) return true;
      if (capitals === 0) from = at;
      capitals += 1;
    } else if (kind === LOWER) {
      if (capitals > 1) return true;
      capitals = 0;
    } else {
      from = at + 1;
      capitals = 0;
    }
  }
  return false;
}

/** `Smith (2019)` and `Ann(42)` are not calls, and neither are words in a list of names. */
function isCalled(tokens: readonly Token[], at: number, lists: WordLists): boolean {
  const token = tokens[at];
  const sign = rightOf(tokens, at, 1);
  if (token === undefined || sign === undefined || sign.kind !== SIGN) return false;
  const next = rightOf(tokens, at, 2);
  const isScope = sign.hash === COLON && next?.hash === COLON && next.gap === 0;
  const isEmptyCall = sign.hash === OPENING && next?.kind === SIGN && next.hash === CLOSING && next.gap === 0;
  if (sign.gap === 0 && (isScope || isEmptyCall)) return true;
  // `FLAG   = 0x8`. In `Ann = 42`, a name may be a key.
  if (sign.gap !== 0 && !(sign.hash === EQUALS && token.shape === CAPITALS)) return false;
  if (sign.hash !== OPENING && sign.hash !== OPENING_SQUARE && sign.hash !== EQUALS) return false;
  if (token.shape !== SMALL && (listsOf(token, lists) & (FIRST_NAME | LAST_NAME)) !== 0) return false;
  return sign.gap > 0 || next?.kind !== NUMBER;
}
