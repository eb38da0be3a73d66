import { weighedSum } from '../../checksums/weighed-sum.ts';
import { checkedNumber } from './checked-number.ts';

/** NHS number, modulo 11. */
export const ukNhs = checkedNumber(
  'UK_NHS',
  { shapes: [[3, 3, 4]] },
  'nhs national_health health',
  (digits) => !/^(\d)\1+$/.test(digits) && weighedSum(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0,
);
