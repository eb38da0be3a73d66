import { weighedSum } from '../../checksums/weighed-sum.ts';
import { checkedNumber } from './checked-number.ts';

/** Australian Company Number. */
export const auAcn = checkedNumber(
  'AU_ACN',
  { shapes: [[3, 3, 3]] },
  'acn company_number',
  (digits) => digits !== '000000000' && weighedSum(digits, [8, 7, 6, 5, 4, 3, 2, 1, 1]) % 10 === 0,
);
