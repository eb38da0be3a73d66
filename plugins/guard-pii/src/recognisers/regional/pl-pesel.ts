import { weighedSum } from '../../checksums/weighed-sum.ts';
import { groupedNumber } from '../../text/digit-groups.ts';
import { type Recogniser, words } from '../recogniser.ts';
import { isDay } from './day-of-birth.ts';

/** Polish personal identification number. */
export const plPesel: Recogniser = {
  entity_type: 'PL_PESEL',
  anchor: 'token',
  context: { for: words('pesel') },
  at(text, token) {
    const number = groupedNumber(text, token, [6, 5]) ?? groupedNumber(text, token, [2, 2, 2, 5]);
    if (number === null || !isCenturyMonth(number.digits.slice(2, 4)) || !isDay(number.digits.slice(4, 6))) return null;
    const isValid = weighedSum(number.digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0;
    return { start: token.start, end: number.end, score: isValid ? 1 : 0 };
  },
};

/** The month is offset by 0, 20, 40, 60 or 80, depending on the century. */
function isCenturyMonth(digits: string): boolean {
  const month = Number(digits) % 20;
  return month >= 1 && month <= 12;
}
