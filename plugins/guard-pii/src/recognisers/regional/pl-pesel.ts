import { weighedSum } from '../../checksums/weighed-sum.ts';
import { checkedNumber } from './checked-number.ts';
import { isDay } from './day-of-birth.ts';

/** Polish personal identification number. */
export const plPesel = checkedNumber(
  'PL_PESEL',
  {
    shapes: [
      [6, 5],
      [2, 2, 2, 5],
    ],
  },
  'pesel',
  (digits) =>
    isCenturyMonth(digits.slice(2, 4)) &&
    isDay(digits.slice(4, 6)) &&
    weighedSum(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0,
);

/** The month is offset by 0, 20, 40, 60 or 80, depending on the century. */
function isCenturyMonth(digits: string): boolean {
  const month = Number(digits) % 20;
  return month >= 1 && month <= 12;
}
