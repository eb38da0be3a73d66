import { groupedNumber } from '../text/grouped-number.ts';
import { type Recogniser, words } from './recogniser.ts';

/** A date written like `20240506`. */
const DATE = /^(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/;

/** Eight to 17 digits. */
export const usBankNumber: Recogniser = {
  entity_type: 'US_BANK_NUMBER',
  anchor: 'token',
  digits: [8, 9, 10, 11, 12, 13, 14, 15, 16, 17],
  context: { for: words('account accounts acct acc bank checking savings debit deposit routing') },
  at(text, token) {
    const length = token.end - token.start;
    if (length < 8 || length > 17 || groupedNumber(text, token, [length]) === null) return null;
    return DATE.test(text.slice(token.start, token.end)) ? null : { start: token.start, end: token.end, score: 0.05 };
  },
};
