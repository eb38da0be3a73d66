import { groupedNumber } from '../digit-groups.ts';
import { type Recogniser, words } from './recogniser.ts';

/** Nine digits from 9, the fourth and fifth of a range that the tax office gives out. */
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

/** Nine digits, or a letter and eight. */
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

/** Written `20240506`. */
const DATE = /^(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/;

/** Eight to 17 digits. */
export const usBankNumber: Recogniser = {
  entity_type: 'US_BANK_NUMBER',
  anchor: 'token',
  context: { for: words('account accounts acct acc bank checking savings debit deposit routing') },
  at(text, token) {
    const length = token.run?.groups[0] ?? 0;
    if (length < 8 || length > 17 || groupedNumber(text, token, [length]) === null) return null;
    return DATE.test(text.slice(token.start, token.end)) ? null : { start: token.start, end: token.end, score: 0.05 };
  },
};
