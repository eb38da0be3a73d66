import { isDigit, isWordCharacter } from './text/characters.ts';

/** Separators between the values of a list. */
const LIST_GAP =
  /["'`]{0,99}(?:\s{0,99}[,;/&]\s{0,99}(?:(?:and|or)\s{1,99})?|\s{1,99}(?:and|or|to|through|-)\s{1,99}|[ \t]{0,99}\r?\n[ \t]{0,99}(?:[-*•][ \t]{1,99})?)["'`]{0,99}$/i;
/** Matches the number of a list item at the beginning of its line. */
const POINT = /(?<=\n)[ \t]{0,99}\d{1,2}[.)][ \t]{1,99}$/;
const FOUR_PARTS = /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}$/;

/** Matches earlier groups of the same number, separated by single spaces: the number may begin there (`ISBN 978 0 306 40615 7`). */
const GROUPS = /(?<![A-Za-z0-9-])(?:[A-Za-z]{0,99}\d[A-Za-z0-9]{0,99} ){2,50}$/;
/** Matches a number in groups of four, as on parcels. No phone number has this form. */
const FOURS = /^(?:[^A-Za-z0-9-])?\d{4} \d{4} \d{4}(?!\d)/;
/** Matches a complete number in groups. Digits after it belong to another number. */
const WHOLE = /^(?:\d{3} \d{2} \d{4}|\d{3} \d{3} \d{3}|\d{4} \d{4} \d{4} \d{4}|\d{4} \d{6} \d{4,5}) $/;

/** The start of a number whose last groups were found. */
function numberStart(text: string, start: number, end: number, least: number): number {
  if (!isDigit(text.charCodeAt(start))) return start;
  const [groups = ''] = GROUPS.exec(text.slice(least, start)) ?? [];
  if (groups !== '') return WHOLE.test(groups) ? start : start - groups.length;
  return FOURS.test(text.slice(Math.max(0, start - 6), end)) ? start - 5 : start;
}

/** The start of the text that a value's label covers: the value's number, and earlier values of the same form in a list. */
export function labelledStart(text: string, start: number, end: number, least: number): number {
  let first = numberStart(text, start, end, least);
  const value = text.slice(first, end);
  for (;;) {
    first -= POINT.exec(text.slice(least, first))?.[0].length ?? 0;
    const gap = LIST_GAP.exec(text.slice(least, first))?.[0] ?? '';
    const length = gap === '' ? 0 : alikeBefore(text.slice(least, first - gap.length), value);
    if (length === 0) return first;
    first -= gap.length + length;
  }
}

/** Length of a value of the same form at the end of a text. 0 if there is none. */
function alikeBefore(text: string, value: string): number {
  if (FOUR_PARTS.test(value)) return FOUR_PARTS.exec(text)?.[0].length ?? 0;
  const start = text.length - value.length;
  const isWhole = start > 0 && !isWordCharacter(text.charCodeAt(start - 1));
  return isWhole && formOf(text.slice(start)) === formOf(value) ? value.length : 0;
}

function formOf(value: string): string {
  return value.replace(/\d/g, '0');
}
