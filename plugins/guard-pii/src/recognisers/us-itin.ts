import { type GroupedNumber, groupedNumber } from '../text/grouped-number.ts';
import { type Recogniser, words } from './recogniser.ts';
import { GROUPED_ALIKE } from './us-ssn.ts';

/**
 * Nine digits that begin with 9. Three, two and four digits are found in any range: other tax numbers (ATIN) have the same form, and made-up persons
 * have numbers that are never assigned. Nine digits together must be in an assigned range.
 */
export const usItin: Recogniser = {
  entity_type: 'US_ITIN',
  anchor: 'token',
  digits: [9],
  context: {
    for: words('itin tax_id taxpayer individual_taxpayer tax_identification tin itins'),
    against: GROUPED_ALIKE,
  },
  at(text, token) {
    const number = groupedNumber(text, token, [3, 2, 4], ' -.');
    if (number === null || !isPossible(number)) return null;
    return { start: token.start, end: number.end, score: number.signs !== '' ? 0.5 : 0.05 };
  },
};

function isPossible({ digits, signs }: GroupedNumber): boolean {
  return signs !== ''
    ? digits.startsWith('9') && digits.slice(3, 5) !== '00' && !digits.endsWith('0000')
    : /^9\d{2}(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])/.test(digits);
}
