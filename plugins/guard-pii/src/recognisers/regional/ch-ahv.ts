import { weighedSum } from '../../checksums/weighed-sum.ts';
import { checkedNumber } from './checked-number.ts';

/** Swiss social security number (AHV, AVS): 13 digits that begin with 756, with the check digit of an EAN. */
export const chAhv = checkedNumber(
  'CH_AHV',
  { shapes: [[3, 4, 4, 2]], signs: ' .-' },
  'ahv avs ahv-nummer ahv-nr sozialversicherungsnummer oasi navs13',
  (code) => code.startsWith('756') && weighedSum(code, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0,
);
