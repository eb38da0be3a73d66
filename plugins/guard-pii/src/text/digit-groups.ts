import { isDigit } from './characters.ts';
import type { Token } from './tokens.ts';

/** A number in a text: its digits, its end, and whether it was grouped. */
export interface GroupedNumber {
  readonly digits: string;
  readonly end: number;
  readonly separated: boolean;
}

/**
 * The digits of a token if they match this shape, such as `[3, 2, 4]`, with the same sign between all groups or with no signs. Null if a hyphen, dot
 * or slash and more digits continue the number on either side.
 */
export function groupedNumber(text: string, { start, run }: Token, shape: readonly number[], signs = ' -'): GroupedNumber | null {
  if (run === null || goesOnBefore(text, start)) return null;
  const length = shape.reduce((sum, group) => sum + group, 0);
  const isBare = run.groups[0] === length;
  if (!isBare && !shape.every((group, index) => run.groups[index] === group)) return null;
  const count = isBare ? 1 : shape.length;
  const end = run.ends[count - 1] ?? start;
  if (goesOnAfter(text, end) || (!isBare && !sameSign(text, run.ends, count, signs))) return null;
  return { digits: run.digits.slice(0, length), end, separated: !isBare };
}

function sameSign(text: string, ends: readonly number[], count: number, signs: string): boolean {
  const sign = text.charAt(ends[0] ?? 0);
  return signs.includes(sign) && ends.slice(0, count - 1).every((end) => text.charAt(end) === sign);
}

/** Whether digits and a joining sign come directly before. */
export function goesOnBefore(text: string, start: number): boolean {
  return '-./'.includes(text.charAt(start - 1) || ' ') && isDigit(text.charCodeAt(start - 2));
}

/** Whether a joining sign and digits come directly after. */
export function goesOnAfter(text: string, end: number): boolean {
  return '-./'.includes(text.charAt(end) || ' ') && isDigit(text.charCodeAt(end + 1));
}
