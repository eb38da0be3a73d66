import type { Context } from './recognisers/recogniser.ts';
import { isDigit, isWordCharacter } from './text/characters.ts';

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

/**
 * The whole words before an offset, up to five, in lower case, and each pair of adjacent words. Chinese, Japanese, Korean and Thai have no spaces around
 * a label, so each of the pieces of such a text counts.
 */
export function wordsBefore(text: string, offset: number): readonly string[] {
  const found: string[] = [];
  const pieces: string[] = [];
  let runs = 0;
  const least = Math.max(0, offset - CONTEXT_REACH);
  let at = offset;
  while (found.length < MAX_WORDS) {
    while (at > least && !isWordCharacter(text.charCodeAt(at - 1)) && !isUnspaced(text.charCodeAt(at - 1))) at -= 1;
    let start = at;
    while (start > least && isUnspaced(text.charCodeAt(start - 1))) start -= 1;
    if (start < at) {
      pieces.push(...piecesOf(text.slice(Math.max(start, at - MAX_UNSPACED), at)));
      at = start;
      if (++runs === MAX_WORDS) break;
      continue;
    }
    while (start > least && isWordCharacter(text.charCodeAt(start - 1))) start -= 1;
    // A word at the limit may be cut off, so it does not count.
    if (start === at || (start === least && isWordCharacter(text.charCodeAt(start - 1)))) break;
    found.push(wordOf(text, start, at));
    at = start;
  }
  if (found.every((word) => word === '')) return pieces;
  const pairs = found.slice(1).map((word, index) => `${word} ${found[index]}`);
  return [...found, ...pairs, ...pieces];
}

/** A word in lower case. Empty for a number, which is no label. */
function wordOf(text: string, start: number, end: number): string {
  return isDigit(text.charCodeAt(start)) && isDigit(text.charCodeAt(end - 1)) ? '' : text.slice(start, end).toLowerCase();
}

/** Letters of scripts without spaces between words, and Korean, whose words end with particles. */
function isUnspaced(code: number): boolean {
  return (code >= 0x0e00 && code < 0x0e80) || (code >= 0x3040 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7a3);
}

/** How many letters before a number may be its label, and the lengths of labels. */
const MAX_UNSPACED = 20;
const LABEL = { shortest: 2, longest: 8 } as const;

function piecesOf(run: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < run.length; start++)
    for (let length = LABEL.shortest; length <= LABEL.longest && start + length <= run.length; length++)
      pieces.push(run.slice(start, start + length));
  return pieces;
}

/** In binary floating point, 0.05 + 0.35 is less than 0.4. */
function rounded(score: number): number {
  return Math.round(score * 100) / 100;
}
