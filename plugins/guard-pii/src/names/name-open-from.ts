import { mayBeName } from './candidates.ts';
import { model } from './model.ts';
import { type Run, runsOf } from './runs.ts';
import { isParticle, MOST_PARTICLES, tagsOf } from './tags.ts';
import { BREAK, INITIAL, isFixed, type Token, tokensOf, WORD } from './tokens.ts';

/** Characters behind a token's end after which nothing counts for it: two windows, the words that start in them, and space. */
const FAR = 112;
/** Tokens behind a token that count for it. */
const BEHIND = 3;
/** Characters read from the end of the text: the longest hold and the context it rests on. */
const TAIL = 640;

/**
 * The index from which the end of the text may still become, or change, a name as more text comes: the text's length if nothing
 * may. Of what ends at or before it, `findNames` says the same for this text and for every longer one.
 */
export function nameOpenFrom(text: string): number {
  const cut = Math.max(0, text.length - TAIL);
  return cut + openFrom(text.slice(cut));
}

function openFrom(text: string): number {
  const tokens = tokensOf(text);
  const open = firstOpen(text, tokens);
  const settled = tokens.slice(0, open);
  const start = tokens[open]?.start ?? text.length;
  const runs = runsOf(settled, tagsOf(text, tokens, model()));
  return reachedFrom(tokens, open, start, runs, text.length);
}

/** The first token whose tag may still change. */
function firstOpen(text: string, tokens: readonly Token[]): number {
  let open = tokens.length;
  for (let at = tokens.length - 1; at >= 0 && !isSettled(text, tokens, at); at--) {
    if (isOpen(text, tokens, at)) open = at;
  }
  return open;
}

function isSettled(text: string, tokens: readonly Token[], at: number): boolean {
  if (text.length >= (tokens[at]?.end ?? 0) + FAR) return true;
  for (let each = at; each <= at + BEHIND; each++) {
    const token = tokens[each];
    if (token === undefined || !isFixed(text, token)) return false;
  }
  return true;
}

function isOpen(text: string, tokens: readonly Token[], at: number): boolean {
  const token = tokens[at];
  if (token === undefined || (token.kind !== WORD && token.kind !== INITIAL)) return false;
  return !isFixed(text, token) || mayBeName(tokens, at, model().lists);
}

/** Back from the first open token over the particles and the name that it may yet belong to. */
function reachedFrom(tokens: readonly Token[], open: number, start: number, runs: readonly Run[], length: number): number {
  const last = runs.at(-1);
  let from = start;
  for (let at = open; at > 0 && at >= open - MOST_PARTICLES; at--) {
    const before = tokens[at - 1];
    const gap = (tokens[at]?.start ?? length) - (before?.end ?? 0);
    if (before === undefined || before.kind === BREAK || gap > 2 || (gap === 0 && at < tokens.length && before.kind !== INITIAL))
      break;
    if (last?.last === at - 1) return tokens[last.first]?.start ?? 0;
    if (!isParticle(before)) break;
    from = before.start;
  }
  return from;
}
