import { isLuhn } from '../../checksums/luhn.ts';
import { checkedNumber } from './checked-number.ts';
import { isDay } from './day-of-birth.ts';

/** Added to the day of birth in coordination numbers. */
const COORDINATION = 60;

/** Swedish personal identity number and coordination number: date of birth, with or without century, and four digits, Luhn. */
export const sePersonnummer = checkedNumber(
  'SE_PERSONNUMMER',
  {
    shapes: [
      [6, 4],
      [8, 4],
    ],
    signs: ' +-',
  },
  'personnummer personnr samordningsnummer pnr personal_identity',
  (code) => {
    const [, digits = '', date = ''] = /^(?:18|19|20)?(\d\d(?:0[1-9]|1[0-2])(\d\d)\d{4})$/.exec(code) ?? [];
    const day = Number(date);
    return isDay(String(day > COORDINATION ? day - COORDINATION : day)) && isLuhn(digits);
  },
);
