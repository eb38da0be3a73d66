import { weighedSum } from '../../checksums/weighed-sum.ts';
import { checkedNumber } from './checked-number.ts';

/** Australian Medicare card number. */
export const auMedicare = checkedNumber(
  'AU_MEDICARE',
  { shapes: [[4, 5, 1]] },
  'medicare',
  (digits) => /^[2-6]/.test(digits) && weighedSum(digits, [1, 3, 7, 9, 1, 3, 7, 9]) % 10 === Number(digits.charAt(8)),
);
