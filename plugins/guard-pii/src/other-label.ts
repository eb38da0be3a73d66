import { columnHeader } from './column-header.ts';
import { CONTEXT_REACH } from './context-words.ts';
import { labelledStart } from './labelled-start.ts';
import { findNames } from './names/find-names.ts';
import { words } from './recognisers/recogniser.ts';
import { isWordCharacter } from './text/characters.ts';

/** How many words before a value its label may be. */
const MAX_WORDS = 5;

/** Words between a label and its number: `order no. 212-555-0123`. */
const QUALIFIERS = words('number numbers no nos nr num nbr n s id ids code codes is was are numéro numero número nummer');

/** Words that start a new subject: in `a booking for 610-22-7431` and `the ticket owner, …`, the number belongs to somebody else. */
const BOUNDARIES = words(
  `for from by to with at on in via and but or so then because please if und oder et para für pour my his her their our your me him
  customer client owner holder member user patient employee worker applicant manager agent recipient sender buyer seller
  record contact person`,
);

/** Separators of fields, sentences and columns. Quotes, colons, opening brackets and single spaces are not separators. */
const SEPARATOR = /[,;|\t\n\r•·)\]}>!?]|\.\s|\s[-/]\s| {2}/;
const HARD_SEPARATOR = /[,;|)\]}>]/g;
/** Matches a label without a value: `SSN: , …`. */
const LEFT_OUT = /[:=]\s*[,;|]/;
/** Matches a masked value: `SSN *** …`. */
const MASKED = /\s(?:[*?.-]|##)[*#?.-]{0,99}\s{0,99}[,;|\t\n\r)]/;
/** In a table of keys and values, the keys are in the first column, whatever separator follows them. */
const FIRST_IN_LINE = /(?:^|\n)[|\s*_]{0,99}$/;

/** Matches HTML tags around a value: table cells and formatting. */
const TAGS = /(?:<\/?(?:[biu]|em|strong|span|code|p|div|li|d[dt]|t[dh])(?:\s[^<>]{0,99})?>\s{0,99}){1,33}$/i;
const CELL = /<t[dh]/gi;
/** Matches labels that contain digits, and the prefixes of such numbers. */
const CODED = /(?<![\p{L}\d])(isbn|ean|upc|gtin)(?:[- ]?(?:8|1[0-4]))?[^\p{L}\d]{0,6}(?:(?:97[89]|\d) )?$/iu;

/** Matches a value that its label follows: `123-45-6789 SSN`. */
const VALUE_BEFORE = /(?:(?<![A-Za-z0-9])[A-Za-z]{0,2}\d[\d ().-]{5,99}\d[A-Za-z]?|[^\s@]{1,99}@[^\s@]{1,99}) ?\(?$/;
const DATE = /(?:(?:19|20)\d{2}[-.]\d{2}[-.]\d{2}|\d{1,2}[-.]\d{1,2}[-.](?:19|20)\d{2}) ?\(?$/;
const ADDRESS = /(?:@|:\/\/)[^\s,;|<>()[\]"']{0,99}$/;

interface Word {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A word before a value, and the text between them. */
interface WordBefore extends Word {
  readonly isInOtherField: boolean;
  readonly isLeftOut: boolean;
}

/**
 * Whether one of these labels, which are lower-case words, belongs to the value at `start`. It does not if there is another value or a name in
 * between, if it is the label of a value before it, or if it names something else that the value's own words refer to. Depends on the value and the
 * {@link CONTEXT_REACH} code units before it.
 */
export function hasLabel(text: string, start: number, end: number, labels: ReadonlySet<string>): boolean {
  const least = Math.max(0, start - CONTEXT_REACH);
  const first = labelledStart(text, start, end, least);
  if (isLabel(columnHeader(text, first, least), labels)) return true;
  for (const word of wordsBefore(text, first, least)) {
    const before = text.slice(least, word.end);
    if (/\d/.test(word.text) || ADDRESS.test(before))
      return labels.has(CODED.exec(text.slice(least, first))?.[1]?.toLowerCase() ?? '');
    const label = labelAt(text, word, least, labels);
    if (label !== null && word.isLeftOut && !isFirstInLine(text, label.start, least)) return false;
    if (label !== null) return isOwn(text, label, first, least, labels);
    if (BOUNDARIES.has(word.text) || (word.isInOtherField && !QUALIFIERS.has(word.text))) return false;
  }
  return false;
}

/** The words before a value, nearest first, up to the second field separator. */
function* wordsBefore(text: string, start: number, least: number): Generator<WordBefore> {
  const tags = TAGS.exec(text.slice(least, start))?.[0] ?? '';
  if ((tags.match(CELL)?.length ?? 0) > 1) return;
  let at = start - tags.length;
  let isInOtherField = tags !== '';
  let isLeftOut = false;
  for (let count = 0; count < MAX_WORDS; count++) {
    const word = wordBefore(text, at, least);
    if (word === null) return;
    const gap = text.slice(word.end, at);
    if (SEPARATOR.test(gap)) {
      if (isInOtherField || MASKED.test(gap) || (gap.match(HARD_SEPARATOR)?.length ?? 0) > 1) return;
      isInOtherField = true;
      isLeftOut = LEFT_OUT.test(gap);
    }
    yield { ...word, isInOtherField, isLeftOut };
    at = word.start;
  }
}

/** Whether a text consists of one of these labels and its qualifiers. */
function isLabel(text: string, labels: ReadonlySet<string>): boolean {
  const written = text.toLowerCase().match(/[\p{L}\d]+/gu) ?? [];
  return (
    labels.has(written.join(' ')) ||
    (written.some((word) => labels.has(word)) && written.every((word) => labels.has(word) || QUALIFIERS.has(word)))
  );
}

/** The word before an offset. Null if it may not be whole. */
function wordBefore(text: string, offset: number, least: number): Word | null {
  let end = offset;
  while (end > least && !isWordCharacter(text.charCodeAt(end - 1))) end -= 1;
  let start = end;
  while (start > least && isWordCharacter(text.charCodeAt(start - 1))) start -= 1;
  if (start === end || (start === least && isWordCharacter(text.charCodeAt(start - 1)))) return null;
  return { start, end, text: text.slice(start, end).toLowerCase() };
}

/** A label that ends with this word: the word alone, or together with the previous one. */
function labelAt(text: string, word: Word, least: number, labels: ReadonlySet<string>): Word | null {
  if (labels.has(word.text)) return word;
  const before = wordBefore(text, word.start, least);
  if (before === null || SEPARATOR.test(text.slice(before.end, word.start))) return null;
  return labels.has(`${before.text} ${word.text}`) ? { ...word, start: before.start } : null;
}

function isFirstInLine(text: string, start: number, least: number): boolean {
  const found = FIRST_IN_LINE.exec(text.slice(least, start));
  return found !== null && (least === 0 || found[0].startsWith('\n'));
}

/** Whether the label belongs to the text after it, and not to a name in between, an element that it closes, or the value before it. */
function isOwn(text: string, label: Word, at: number, least: number, labels: ReadonlySet<string>): boolean {
  const before = text.slice(least, label.start);
  if (before.endsWith('</') || isName(text, label, at)) return false;
  const value = VALUE_BEFORE.exec(before);
  if (value === null || DATE.test(before)) return true;
  const stem = before.slice(0, value.index);
  const word = wordBefore(stem, stem.length, 0);
  return /[:=#]\s*$/.test(stem) || (word !== null && (labels.has(word.text) || QUALIFIERS.has(word.text)));
}

function isName(text: string, label: Word, at: number): boolean {
  if (!/\p{Lu}/u.test(text.slice(label.end, at))) return false;
  const own = text.slice(label.start, at);
  return findNames(own, PERSON).some(({ start, end }) => {
    return start >= label.end - label.start && !QUALIFIERS.has(own.slice(start, end).toLowerCase());
  });
}
const PERSON: ReadonlySet<string> = new Set(['PERSON']);
