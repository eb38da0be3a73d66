import { isLuhn } from '../../checksums/luhn.ts';
import { checkedNumber } from './checked-number.ts';

/** Canadian social insurance number. A first digit of 0 or 8 is not assigned. */
export const caSin = checkedNumber(
  'CA_SIN',
  { shapes: [[3, 3, 3]] },
  'sin sins social_insurance nas national_insurance insurance',
  (digits) => digits !== '000000000' && isLuhn(digits),
);
