import { isWordCharacter } from '../text/characters.ts';
import { NRP_WORDS } from './nrp-words.ts';
import { type Recogniser, words } from './recogniser.ts';

/** Matches the rest of a country's name, as in "Czech Republic". */
const REPUBLIC = / republic/iy;
/** Matches text at the end that may be the beginning of a match. */
const OPEN = /\p{L}{1,20}(?: (?:r(?:e(?:p(?:u(?:b(?:li?)?)?)?)?)?)?)?$/iu;
const MAX_OPEN = 32;

/** Nationalities, religions and political parties, found by a list. */
export const nrp: Recogniser = {
  entity_type: 'NRP',
  anchor: 'none',
  context: {
    for: new Set(),
    against: words(
      'study studying studied learn learning learned speak speaks speaking spoke translate translated language languages',
    ),
  },
  *find(text, from) {
    let at = from;
    // Skips a word that begins before `from`, because it is incomplete.
    if (isWordCharacter(text.charCodeAt(from - 1))) at = wordEnd(text, at);
    while (at < text.length) {
      if (!isWordCharacter(text.charCodeAt(at))) {
        at += 1;
        continue;
      }
      const end = wordEnd(text, at);
      if (isListed(text, at, end)) yield { start: at, end, score: 0.6 };
      at = end;
    }
  },
  openFrom: (text) => text.length - (OPEN.exec(text.slice(-MAX_OPEN))?.[0].length ?? 0),
};

function isListed(text: string, start: number, end: number): boolean {
  if (end - start < 3 || end - start > 20 || text.charAt(start - 1) === '_' || text.charAt(end) === '_') return false;
  REPUBLIC.lastIndex = end;
  return NRP_WORDS.has(text.slice(start, end).toLowerCase()) && !REPUBLIC.test(text);
}

function wordEnd(text: string, start: number): number {
  let end = start;
  while (end < text.length && isWordCharacter(text.charCodeAt(end))) end += 1;
  return end;
}
