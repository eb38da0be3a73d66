import { groupedNumber } from '../text/digit-groups.ts';
import { type Recogniser, words } from './recogniser.ts';

/** Nine digits, or a letter and eight digits. */
export const usPassport: Recogniser = {
  entity_type: 'US_PASSPORT',
  anchor: 'token',
  context: { for: words('passport passports travel_document') },
  at(text, token) {
    const { start, end } = token;
    if (end - start !== 9 || !/^[A-Za-z0-9]\d{8}$/.test(text.slice(start, end))) return null;
    if (token.run !== null && groupedNumber(text, token, [9]) === null) return null;
    return { start, end, score: token.run === null ? 0.1 : 0.05 };
  },
};
