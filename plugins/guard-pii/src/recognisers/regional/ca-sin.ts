import { isLuhn } from '../../checksums/luhn.ts';
import { groupedNumber } from '../../text/digit-groups.ts';
import { type Recogniser, words } from '../recogniser.ts';

/** Canadian social insurance number. A first digit of 0 or 8 is not assigned. */
export const caSin: Recogniser = {
  entity_type: 'CA_SIN',
  anchor: 'token',
  context: { for: words('sin sins social_insurance nas national_insurance insurance') },
  at(text, token) {
    const number = groupedNumber(text, token, [3, 3, 3]);
    if (number === null || number.digits === '000000000') return null;
    return { start: token.start, end: number.end, score: isLuhn(number.digits) ? 1 : 0 };
  },
};
