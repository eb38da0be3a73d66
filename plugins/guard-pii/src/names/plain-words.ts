import { SHARED } from './assistants.ts';
import { COMMON, FIRST_NAME, type WordLists } from './lists.ts';
import { model } from './model.ts';
import { INITIAL, isFixed, SMALL, type Token, tokensOf, WORD } from './tokens.ts';
import { GREETINGS, hashOf, NAME_WORDS, NEVER_IN_LOWER_CASE, PARTICLES, TITLES } from './words.ts';

/** How many tokens before a word may announce it as a name, and the characters that contain them. See `candidates.ts`. */
const ANNOUNCING = 3;
export const NEAR = 32;

/** A lower-case word after one of these may be a name. Names of models also need a closer look. */
const CUES: ReadonlySet<number> = new Set([...GREETINGS, ...TITLES, ...NAME_WORDS, ...SHARED.split('|').map(hashOf)]);

/**
 * The index from which more text may change something, for text of plain lower-case words, signs and numbers. Null for any other text. Depends on
 * {@link NEAR} code units before `from`. Most text is like this, so the model is not needed.
 */
export function plainWordsOpenFrom(text: string, from: number): number | null {
  const { lists } = model();
  const tokens = tokensOf(text);
  let first = tokens.length;
  while (first > 0 && (tokens[first - 1]?.end ?? 0) > from) first--;
  for (let at = Math.max(0, first - ANNOUNCING); at < first; at++) {
    const token = tokens[at];
    if (token !== undefined && (CUES.has(token.hash) || isName(token, lists))) return null;
  }
  for (let at = first; at < tokens.length; at++) {
    const token = tokens[at];
    if (token === undefined) break;
    const isOpen = (token.kind === WORD || token.kind === INITIAL) && !isFixed(text, token);
    if (isOpen) return Math.max(from, token.start);
    if (!isPlain(token, lists)) return null;
  }
  return text.length;
}

function isPlain(token: Token, lists: WordLists): boolean {
  if (token.kind === INITIAL) return false;
  if (token.kind !== WORD) return true;
  if (token.shape !== SMALL || CUES.has(token.hash) || PARTICLES.has(token.hash)) return false;
  return NEVER_IN_LOWER_CASE.has(token.hash) || !isName(token, lists);
}

/** Whether a lower-case word may be a name. */
function isName(token: Token, lists: WordLists): boolean {
  if (token.kind !== WORD || token.shape !== SMALL) return false;
  const known = lists.of(token.hash);
  return (known & FIRST_NAME) !== 0 && (known & COMMON) === 0;
}
