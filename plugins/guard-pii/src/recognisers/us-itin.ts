import { groupedNumber } from '../text/digit-groups.ts';
import { type Recogniser, words } from './recogniser.ts';

/** Nine digits that begin with 9; the fourth and fifth are in an assigned range. */
export const usItin: Recogniser = {
  entity_type: 'US_ITIN',
  anchor: 'token',
  context: { for: words('itin tax_id taxpayer individual_taxpayer tax_identification tin itins') },
  at(text, token) {
    const number = groupedNumber(text, token, [3, 2, 4]);
    if (number === null || !/^9\d{2}(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])/.test(number.digits)) return null;
    return { start: token.start, end: number.end, score: number.separated ? 0.3 : 0.05 };
  },
};
