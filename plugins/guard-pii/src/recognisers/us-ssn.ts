import { groupedNumber } from '../text/grouped-number.ts';
import { OTHER_NUMBERS } from './other-numbers.ts';
import { type Recogniser, words } from './recogniser.ts';

/** Words for other numbers that are grouped in the same way. */
export const GROUPED_ALIKE: ReadonlySet<string> = new Set([
  ...OTHER_NUMBERS,
  ...words('routing zip postal ext extension phone tel fax flight room score ratio lottery'),
]);

/** Three, two and four digits, or nine digits together. */
export const usSsn: Recogniser = {
  entity_type: 'US_SSN',
  anchor: 'token',
  digits: [9],
  context: {
    for: words(
      'ssn ssns ssid ss social social_security socialsecurity socialsecuritynumber socialsecurityno ssnumber ssno soc_sec',
    ),
    against: GROUPED_ALIKE,
  },
  at(text, token) {
    const number = groupedNumber(text, token, [3, 2, 4], ' -.');
    if (number === null || !isPossible(number.digits)) return null;
    const { digits } = number;
    const isCertain = number.signs !== '' && !digits.startsWith('9');
    return { start: token.start, end: number.end, score: isCertain ? 0.5 : 0.05 };
  },
};

/** Excludes ranges that are never assigned. Numbers that begin with 9 are not assigned either, but people write them as theirs. */
function isPossible(digits: string): boolean {
  return !/^(?:000|666)/.test(digits) && digits.slice(3, 5) !== '00' && !digits.endsWith('0000');
}
