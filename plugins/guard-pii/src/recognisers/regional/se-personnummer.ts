import { isLuhn } from '../../checksums/luhn.ts';
import { checkedNumber } from './checked-number.ts';
import { isDay } from './day-of-birth.ts';

/** Added to the day of birth in coordination numbers. */
const COORDINATION = 60;

/** Swedish personal identity number and coordination number: date of birth, with or without century, and four digits, Luhn. */
export const sePersonnummer = checkedNumber(
  'SE_PERSONNUMMER',
  /(?:(?:18|19|20)\d\d|\d\d)(?:0[1-9]|1[0-2])\d\d[ +-]?\d{4}/y,
  'personnummer personnr samordningsnummer pnr personal_identity',
  (code) => {
    const digits = code.slice(-10);
    const day = Number(digits.slice(4, 6));
    return isDay(String(day > COORDINATION ? day - COORDINATION : day).padStart(2, '0')) && isLuhn(digits);
  },
);
