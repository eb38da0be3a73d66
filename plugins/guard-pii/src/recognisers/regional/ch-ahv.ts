import { weighedSum } from '../../checksums/weighed-sum.ts';
import { checkedNumber } from './checked-number.ts';

/** Swiss social security number (AHV, AVS): 13 digits that begin with 756, with the check digit of an EAN. */
export const chAhv = checkedNumber(
  'CH_AHV',
  /756[ .-]?\d{4}[ .-]?\d{4}[ .-]?\d\d/y,
  'ahv avs ahv-nummer ahv-nr sozialversicherungsnummer oasi navs13',
  (code) => weighedSum(code, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0,
);
