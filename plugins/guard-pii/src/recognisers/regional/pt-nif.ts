import { weighedSum } from '../../checksums/weighed-sum.ts';
import { checkedNumber } from './checked-number.ts';

/** Portuguese tax number (NIF), modulo 11. */
export const ptNif = checkedNumber(
  'PT_NIF',
  /(?:PT ?)?[1-35689]\d\d[ .-]?\d{3}[ .-]?\d{3}/iy,
  'nif contribuinte nipc nº_contribuinte número_fiscal identificação_fiscal',
  (code) => {
    const digits = code.slice(-9);
    const check = 11 - (weighedSum(digits, [9, 8, 7, 6, 5, 4, 3, 2]) % 11);
    return (check > 9 ? 0 : check) === Number(digits.at(-1));
  },
);
