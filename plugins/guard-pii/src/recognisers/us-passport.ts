import { groupedNumber } from '../text/grouped-number.ts';
import { type Recogniser, words } from './recogniser.ts';

/** Nine digits, or a letter and eight digits. */
export const usPassport: Recogniser = {
  entity_type: 'US_PASSPORT',
  anchor: 'token',
  digits: [8, 9],
  context: { for: words('passport passports travel_document') },
  at(text, token) {
    const { start, end } = token;
    if (end - start !== 9 || !/^[A-Za-z0-9]\d{8}$/.test(text.slice(start, end))) return null;
    if (token.group.start !== start) return { start, end, score: 0.1 };
    return groupedNumber(text, token, [9]) === null ? null : { start, end, score: 0.05 };
  },
};
