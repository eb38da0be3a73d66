import type { Context } from './recognisers/recogniser.ts';
import { isWordCharacter } from './text/characters.ts';

/** How far before a finding a context word may be, in words and in code units. */
const MAX_WORDS = 5;
export const CONTEXT_REACH = 100;
/** How much a context word raises or lowers a score. */
const WEIGHT = 0.35;

/** The score of a match, which is higher if a context word is near. Scores of 0 and 1 come from a checksum and do not change. */
export function raisedScore(score: number, context: Context | undefined, before: () => readonly string[]): number {
  if (context === undefined || score === 0 || score === 1) return score;
  return before().some((word) => context.for.has(word)) ? rounded(Math.min(1, score + WEIGHT)) : score;
}

/** The score of a match with a context word that speaks against it. */
export function loweredScore(score: number): number {
  return rounded(Math.max(0, score - WEIGHT));
}

/** The whole words before an offset, up to five, in lower case, and each pair of adjacent words. */
export function wordsBefore(text: string, offset: number): readonly string[] {
  const found: string[] = [];
  const least = Math.max(0, offset - CONTEXT_REACH);
  let at = offset;
  while (found.length < MAX_WORDS) {
    while (at > least && !isWordCharacter(text.charCodeAt(at - 1))) at -= 1;
    let start = at;
    while (start > least && isWordCharacter(text.charCodeAt(start - 1))) start -= 1;
    // A word at the limit may be cut off, so it does not count.
    if (start === at || (start === least && isWordCharacter(text.charCodeAt(start - 1)))) break;
    found.push(text.slice(start, at).toLowerCase());
    at = start;
  }
  const pairs = found.slice(1).map((word, index) => `${word} ${found[index]}`);
  return [...found, ...pairs];
}

/** In binary floating point, 0.05 + 0.35 is less than 0.4. */
function rounded(score: number): number {
  return Math.round(score * 100) / 100;
}
