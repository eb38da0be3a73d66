import { checkedNumber } from './checked-number.ts';

/** Belgian national register number: date of birth, three digits, and a check modulo 97. From 2000 on, the check counts a 2 before the digits. */
export const beNationalNumber = checkedNumber(
  'BE_NATIONAL_NUMBER',
  { shapes: [[2, 2, 2, 3, 2]], signs: ' .-/' },
  'rijksregisternummer rijksregister niss insz registre_national national_number nationaal_nummer',
  (code) => {
    const isPossible = Number(code.slice(2, 4)) % 20 <= 12 && Number(code.slice(4, 6)) <= 31 && !/^0+$/.test(code);
    const check = 97 - Number(code.slice(9));
    return isPossible && ['', '2'].some((century) => Number(century + code.slice(0, 9)) % 97 === check % 97);
  },
);
