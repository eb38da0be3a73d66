import { weighedSum } from '../../checksums/weighed-sum.ts';
import { checkedNumber } from './checked-number.ts';

/** Thai national identity number: 13 digits, modulo 11. */
export const thTnin = checkedNumber(
  'TH_TNIN',
  { shapes: [[1, 4, 5, 2, 1]], signs: ' -' },
  'tnin thai_id national_id บัตรประชาชน เลขประจำตัวประชาชน',
  (code) =>
    /^[1-8]/.test(code) && (11 - (weighedSum(code, [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 10 === Number(code.at(-1)),
);
