import { weighedSum } from '../../checksums/weighed-sum.ts';
import { checkedNumber } from './checked-number.ts';

/** Australian tax file number. */
export const auTfn = checkedNumber(
  'AU_TFN',
  { shapes: [[3, 3, 3]] },
  'tfn tax_file',
  (digits) => digits !== '000000000' && weighedSum(digits, [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0,
);
