import { isDigit, isWordCharacter } from './characters.ts';
import type { DigitGroup } from './digit-groups.ts';
import type { Token } from './tokens.ts';

/** A number in a text: its digits, its end, and the signs between its groups. */
export interface GroupedNumber {
  readonly digits: string;
  readonly end: number;
  readonly signs: string;
}

/**
 * The first digits of a token and those after it, in the groups of a shape such as `[3, 2, 4]`, with a sign or nothing between two groups:
 * `123-456789`. Null if letters, or a hyphen, dot or slash and more digits, continue the number on either side.
 */
export function writtenNumber(
  text: string,
  { start, group: first }: Token,
  shape: readonly number[],
  allowed: string,
): GroupedNumber | null {
  if (goesOnBefore(text, start)) return null;
  let signs = '';
  let [parts, expected, length] = [0, 0, 0];
  for (let group: DigitGroup | null = first; group !== null; group = group.next) {
    length += group.end - group.start;
    while (expected < length && parts < shape.length) expected += shape[parts++] ?? 0;
    if (expected !== length) return null;
    if (parts === shape.length) return isContinued(text, group.end) ? null : numberOf(text, first.start, group.end, signs);
    if (group.gap.length !== 1 || !allowed.includes(group.gap)) return null;
    signs += group.gap;
  }
  return null;
}

function numberOf(text: string, start: number, end: number, signs: string): GroupedNumber {
  const written = text.slice(start, end);
  return { digits: signs === '' ? written : written.replace(/\D/g, ''), end, signs };
}

/** Like {@link writtenNumber}, with the same sign between all groups or with no signs. Null for a token that begins with a letter. */
export function groupedNumber(text: string, token: Token, shape: readonly number[], allowed = ' -'): GroupedNumber | null {
  if (token.group.start !== token.start) return null;
  const number = writtenNumber(text, token, shape, allowed);
  const { signs } = number ?? { signs: '' };
  return signs === '' || signs === signs.charAt(0).repeat(shape.length - 1) ? number : null;
}

/** Whether a letter or more digits follow, see {@link goesOnAfter}. */
export function isContinued(text: string, end: number): boolean {
  return isWordCharacter(text.charCodeAt(end)) || goesOnAfter(text, end);
}

/** Whether digits and a joining sign come directly before. */
export function goesOnBefore(text: string, start: number): boolean {
  return '-./'.includes(text.charAt(start - 1) || ' ') && isDigit(text.charCodeAt(start - 2));
}

/** Whether a joining sign and digits come directly after. */
export function goesOnAfter(text: string, end: number): boolean {
  return '-./'.includes(text.charAt(end) || ' ') && isDigit(text.charCodeAt(end + 1));
}
