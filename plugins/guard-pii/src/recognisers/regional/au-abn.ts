import { weighedSum } from '../../checksums/weighed-sum.ts';
import { checkedNumber } from './checked-number.ts';

/** Australian Business Number. One is subtracted from its first digit, whose weight is 10. */
export const auAbn = checkedNumber(
  'AU_ABN',
  { shapes: [[2, 3, 3, 3]] },
  'abn business_number',
  (digits) => !digits.startsWith('0') && (weighedSum(digits, [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]) - 10) % 89 === 0,
);
