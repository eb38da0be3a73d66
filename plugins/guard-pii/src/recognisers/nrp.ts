import { isWordCharacter } from '../text/characters.ts';
import { CAPITALISED_ONLY, NRP_BEGINNINGS, NRP_PAIRS, NRP_WORDS } from './nrp-words.ts';
import { type Recogniser, words } from './recogniser.ts';

/** Matches the rest of a country's name, as in "Czech Republic". */
const REPUBLIC = / republic/iy;
/** Matches a lower-case word of politics or faith that says what somebody is: `is a socialist,`. */
const OF_SOMEBODY = /(?:(?<![\p{L}\d])(?:am|is|are|was|were|be|as|an?|lifelong|registered|devout|former|fellow) )$/iu;
const ENDS_CLAUSE = / {0,3}(?:[.,;:!?)"'\n]|$|(?:and|or|but|who|since|by|at|in|from) )/y;
/**
 * Matches the end of a text. Captures what may be the beginning of a match, or of the text after one. A look-behind is read from the end, so the cost
 * does not depend on the text before it.
 */
const OPEN =
  /(?<=((?:[\p{L}'’]{1,20}(?:-[\p{L}]{1,20})?[ -])?[\p{L}'’]{1,20}(?:-\p{L}{0,20})?[.,;:!?)"']?(?: {1,3}\p{L}{0,8})?))$/uy;
const LONGEST = 20;
/** How many code units before a word show whether it is said of somebody. */
const NEAR = 16;

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
    if (isInWord(text, from - 1)) at = wordEnd(text, at);
    while (at < text.length) {
      if (!isWordCharacter(text.charCodeAt(at))) {
        at += 1;
        continue;
      }
      const end = wordEnd(text, at);
      const pair = pairEnd(text, at, end);
      if (pair !== null) yield { start: at, end: pair, score: 0.7 };
      else if (isListed(text, at, end)) yield { start: at, end, score: 0.6 };
      at = end;
    }
  },
  openFrom,
};

function openFrom(text: string): number {
  OPEN.lastIndex = text.length;
  return text.length - (OPEN.exec(text)?.[1]?.length ?? 0);
}

/** The end of an entry of two words that starts here. Null if there is none. */
function pairEnd(text: string, start: number, end: number): number | null {
  if (end - start > LONGEST || !NRP_BEGINNINGS.has(lowered(text, start, end)) || !' -'.includes(text.charAt(end) || '.'))
    return null;
  const last = wordEnd(text, end + 1);
  const pair = `${lowered(text, start, end)} ${lowered(text, end + 1, last)}`;
  const isPair = last - end <= LONGEST && NRP_PAIRS.has(pair) && !isNamePart(text, start, last);
  return isPair && (isCapital(text, start) || !CAPITALISED_ONLY.has(pair)) ? last : null;
}

function isListed(text: string, start: number, end: number): boolean {
  if (end - start < 3 || end - start > LONGEST || isNamePart(text, start, end)) return false;
  REPUBLIC.lastIndex = end;
  const word = lowered(text, start, end);
  if (!NRP_WORDS.has(word) || REPUBLIC.test(text)) return false;
  return isCapital(text, start) || !CAPITALISED_ONLY.has(word) || isOfSomebody(text, start, end);
}

/** Whether a lower-case word says what somebody is. */
function isOfSomebody(text: string, start: number, end: number): boolean {
  ENDS_CLAUSE.lastIndex = end;
  return ENDS_CLAUSE.test(text) && OF_SOMEBODY.test(text.slice(Math.max(0, start - NEAR), start));
}

function isNamePart(text: string, start: number, end: number): boolean {
  return text.charAt(start - 1) === '_' || text.charAt(end) === '_';
}

function isCapital(text: string, at: number): boolean {
  return text.charAt(at) !== text.charAt(at).toLowerCase();
}

function lowered(text: string, start: number, end: number): string {
  return text.slice(start, end).toLowerCase().replace('’', "'");
}

/** The end of a word, which may contain apostrophes. */
function wordEnd(text: string, start: number): number {
  let end = start;
  while (end < text.length && isInWord(text, end)) end += 1;
  return end;
}

/** Whether it is a character of a word, or an apostrophe between two. The apostrophe of a possessive does not count. */
function isInWord(text: string, at: number): boolean {
  if (isWordCharacter(text.charCodeAt(at))) return true;
  if (!"'’".includes(text.charAt(at) || '.')) return false;
  const next = text.charAt(at + 1).toLowerCase();
  return (
    isWordCharacter(text.charCodeAt(at - 1)) &&
    isWordCharacter(text.charCodeAt(at + 1)) &&
    !(next === 's' && !isWordCharacter(text.charCodeAt(at + 2)))
  );
}
