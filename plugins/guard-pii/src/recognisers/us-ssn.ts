import { groupedNumber } from '../digit-groups.ts';
import { OTHER_NUMBERS } from './other-numbers.ts';
import { type Recogniser, words } from './recogniser.ts';

/** Numbers that were printed in advertisements and are used by many. */
const NEVER_REAL: ReadonlySet<string> = new Set(['078051120', '123456789', '219099999']);

/** Three, two and four digits, or nine in one. */
export const usSsn: Recogniser = {
  entity_type: 'US_SSN',
  anchor: 'token',
  context: { for: words('ssn ssns social_security socialsecurity soc_sec'), against: OTHER_NUMBERS },
  at(text, token) {
    const number = groupedNumber(text, token, [3, 2, 4], ' -.');
    if (number === null || !isPossible(number.digits)) return null;
    return { start: token.start, end: number.end, score: number.separated ? 0.5 : 0.05 };
  },
};

function isPossible(digits: string): boolean {
  if (/^(?:000|666|9)/.test(digits) || digits.slice(3, 5) === '00' || digits.endsWith('0000')) return false;
  return !/^(\d)\1+$/.test(digits) && !NEVER_REAL.has(digits);
}
