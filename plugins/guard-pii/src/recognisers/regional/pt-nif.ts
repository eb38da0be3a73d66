import { weighedSum } from '../../checksums/weighed-sum.ts';
import { checkedNumber } from './checked-number.ts';

/** Portuguese tax number (NIF), modulo 11. */
export const ptNif = checkedNumber(
  'PT_NIF',
  { shapes: [[3, 3, 3]], signs: ' .-', prefix: 'PT' },
  'nif contribuinte nipc nº_contribuinte número_fiscal identificação_fiscal',
  (digits) => {
    const check = 11 - (weighedSum(digits, [9, 8, 7, 6, 5, 4, 3, 2]) % 11);
    return /^[1-35689]/.test(digits) && (check > 9 ? 0 : check) === Number(digits.at(-1));
  },
);
