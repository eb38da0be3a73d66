import type { Matcher } from './matcher.ts';
import { alternatives } from './word-tree.ts';

/**
 * What words are made of. Scripts written without spaces are left out: there a word may end anywhere, so one of theirs is found inside
 * longer text, and a Latin word between their letters is whole.
 */
const LETTER = String.raw`[[\p{L}\p{M}\p{Nd}_]--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]]`;

/** Between two letters. Beside a sign it is never inside, so `C++` is found in `C++17`. */
const INSIDE = `(?<=${LETTER})(?=${LETTER})`;

/**
 * Finds whole words and phrases, in any case, composed or decomposed (NFC, NFD), the longest at each place.
 *
 * A native RegExp is safe here: made from literals alone, it has nothing to backtrack into but up to 8 spaces, and words that begin
 * alike share their beginning.
 */
export function wordsMatcher(words: readonly string[]): Matcher {
  const tidy = words.map((word) => word.trim().replace(/\s+/gu, ' '));
  const forms = tidy.flatMap((word) => [word.normalize('NFC'), word.normalize('NFD')]);
  const re = new RegExp(`(?!${INSIDE})${alternatives(forms)}(?!${INSIDE})`, 'giv');
  return function* (text) {
    for (const { index, 0: found } of text.matchAll(re)) yield { start: index, end: index + found.length };
  };
}
