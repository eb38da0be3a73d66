import { weighedSum } from '../../checksums/weighed-sum.ts';
import { checkedNumber } from './checked-number.ts';

/** Dutch citizen service number (burgerservicenummer): nine digits that pass the eleven test. */
export const nlBsn = checkedNumber(
  'NL_BSN',
  {
    shapes: [
      [3, 3, 3],
      [4, 2, 3],
    ],
    signs: ' .-',
  },
  'bsn burgerservicenummer sofinummer sofi sofi-nummer',
  (code) => code !== '000000000' && weighedSum(code, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0,
);
