import { weighedSum } from '../../checksums/weighed-sum.ts';
import { groupedNumber } from '../../text/digit-groups.ts';
import { type Recogniser, words } from '../recogniser.ts';

/** Australian Medicare card number. */
export const auMedicare: Recogniser = {
  entity_type: 'AU_MEDICARE',
  anchor: 'token',
  context: { for: words('medicare') },
  at(text, token) {
    const number = groupedNumber(text, token, [4, 5, 1]);
    if (number === null || !/^[2-6]/.test(number.digits)) return null;
    const check = weighedSum(number.digits, [1, 3, 7, 9, 1, 3, 7, 9]) % 10;
    return { start: token.start, end: number.end, score: check === Number(number.digits.charAt(8)) ? 1 : 0 };
  },
};
