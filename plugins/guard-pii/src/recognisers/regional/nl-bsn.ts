import { weighedSum } from '../../checksums/weighed-sum.ts';
import { checkedNumber } from './checked-number.ts';

/** Dutch citizen service number (burgerservicenummer): nine digits that pass the eleven test. */
export const nlBsn = checkedNumber(
  'NL_BSN',
  /\d{3}(?:\d[ .-]?\d\d|[ .-]?\d{3})[ .-]?\d{3}/y,
  'bsn burgerservicenummer sofinummer sofi sofi-nummer',
  (code) => code !== '000000000' && weighedSum(code, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0,
);
