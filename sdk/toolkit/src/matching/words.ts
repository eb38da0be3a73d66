import type { Matcher, Span } from './matcher.ts';
import { CHARACTER, characterAt, exactMatcher } from './window.ts';
import { alternatives, beginnings, MAX_SPACES } from './word-tree.ts';

/**
 * Matches word characters. Scripts without spaces are excluded. Their words may end anywhere, so they match inside longer text, and a Latin word
 * between their letters is a whole word.
 */
const LETTER = String.raw`[[\p{L}\p{M}\p{Nd}_]--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]]`;

/** Matches between two letters, and never beside a sign, so `C++` is found in `C++17`. */
const INSIDE = `(?<=${LETTER})(?=${LETTER})`;
const IS_INSIDE = new RegExp(INSIDE, 'ivy');

/**
 * Finds whole words and phrases in any case, composed or decomposed (NFC, NFD). At each offset, the longest one is found. A native RegExp is safe
 * here: it consists of literals, so it backtracks over at most 8 spaces, and words share their beginnings.
 */
export function wordsMatcher(words: readonly string[]): Matcher {
  const tidy = words.map((word) => word.trim().replace(/\s+/gu, ' '));
  const forms = tidy.flatMap((word) => [word.normalize('NFC'), word.normalize('NFD')]);
  const re = new RegExp(`(?!${INSIDE})${alternatives(forms)}(?!${INSIDE})`, 'giv');
  const begun = new RegExp(beginnings(forms), 'giv');
  const find = function* (text: string, from: number): Generator<Span> {
    for (let at = from; ; at = re.lastIndex) {
      re.lastIndex = at;
      const match = re.exec(text);
      if (match === null) return;
      yield { start: match.index, end: re.lastIndex };
    }
  };
  const openFrom = (text: string, from: number): number => {
    for (let at = from; ; at += characterAt(text, at)) {
      begun.lastIndex = at;
      at = begun.exec(text)?.index ?? text.length;
      IS_INSIDE.lastIndex = at;
      if (at === text.length || !IS_INSIDE.test(text)) return at;
    }
  };
  // Case folding never turns one code unit into two.
  const longest = forms.reduce((most, form) => Math.max(most, form.replaceAll(' ', ' '.repeat(MAX_SPACES)).length), 0);
  const test = (text: string): boolean => {
    re.lastIndex = 0;
    return re.test(text);
  };
  return exactMatcher({ find, openFrom, reach: longest + CHARACTER }, 1, test);
}
