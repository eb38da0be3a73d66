import { mayBeName } from './candidates.ts';
import { model } from './model.ts';
import { firstLinked, isSuffix, runsOf } from './runs.ts';
import { isNextTo, isNoName, isParticle, MAX_PARTICLES, tagsOf } from './tags.ts';
import { BREAK, INITIAL, isFixed, type Token, tokensOf, WORD } from './tokens.ts';

/** How many characters after a token's end can affect it: two windows, the words that start in them, and space. */
const FAR = 112;
/** How many tokens after a word affect the word's own odds. */
const SEEN = 2;
/** How many tokens after a word affect its tag: as many as affect its odds, and one more for the odds of the next word. */
const BEHIND = SEEN + 1;
/** How many characters are read from the end of the text: the longest held text and its context. */
const TAIL = 400;

/**
 * The index from which more text may create or change a name. The text's length if it cannot. For names that end at or before this index, `findNames`
 * returns the same for this text and every longer one.
 * @param from nothing before it is open
 */
export function nameOpenFrom(text: string, from = 0): number {
  const cut = Math.max(0, text.length - TAIL);
  return cut + openFrom(text.slice(cut), from - cut);
}

function openFrom(text: string, least: number): number {
  const tokens = tokensOf(text);
  const open = firstOpen(text, tokens, least);
  let from = tokens[open]?.start ?? text.length;
  for (let at = open; at >= open - MAX_PARTICLES && isLinkedBack(tokens, at, text.length); at--) {
    const before = at - 1;
    const start = mayEndName(tokens, before) ? startOfName(text, tokens, open, before) : undefined;
    if (start !== undefined) return start;
    if (!isParticle(tokens[before])) break;
    from = tokens[before]?.start ?? from;
  }
  return from;
}

/** The first token whose tag may still change. */
function firstOpen(text: string, tokens: readonly Token[], least: number): number {
  let open = tokens.length;
  const first = Math.max(least, text.length - FAR);
  for (let at = tokens.length - 1; at >= 0 && (tokens[at]?.end ?? 0) > first; at--) {
    if (!isSettled(text, tokens, at)) open = at;
  }
  return open;
}

/** Whether the token and its tag are final. */
function isSettled(text: string, tokens: readonly Token[], at: number): boolean {
  const token = tokens[at];
  if (token === undefined || (token.kind !== WORD && token.kind !== INITIAL)) return true;
  const seen = fixedBehind(text, tokens, at);
  if (seen < 0) return false;
  const { lists } = model();
  if (!mayBeName(tokens, at, lists) || isNoName(text, tokens, at, model(), Math.min(seen, SEEN))) return true;
  if (seen < SEEN) return false;
  // The next word may raise this word's score, and itself depends on the words after it.
  if (!isNextTo(tokens[at + 1]) || !mayBeName(tokens, at + 1, lists)) return true;
  return seen > SEEN || isNoName(text, tokens, at + 1, model(), SEEN - 1);
}

/** The number of final tokens after this one, counted as far as they matter. -1 if this one is not final. */
function fixedBehind(text: string, tokens: readonly Token[], at: number): number {
  for (let each = at; each <= at + BEHIND; each++) {
    const token = tokens[each];
    if (token === undefined || !isFixed(text, token)) return each - at - 1;
  }
  return BEHIND;
}

/** Whether a name may continue from the previous token to this one, or to text that follows. */
function isLinkedBack(tokens: readonly Token[], at: number, length: number): boolean {
  const before = tokens[at - 1];
  if (before === undefined || before.kind === BREAK) return false;
  const gap = (tokens[at]?.start ?? length) - before.end;
  return gap <= 2 && (gap > 0 || at === tokens.length || before.kind === INITIAL);
}

function mayEndName(tokens: readonly Token[], at: number): boolean {
  return mayBeName(tokens, at, model().lists) || isSuffix(tokens[at]);
}

/** The start of the name that ends with the last of these tokens, if there is one. */
function startOfName(text: string, tokens: readonly Token[], open: number, last: number): number | undefined {
  const run = runsOf(tokens.slice(0, open), tagsOf(text, tokens, model(), firstLinked(tokens, last))).at(-1);
  return run?.last === last ? tokens[run.first]?.start : undefined;
}
