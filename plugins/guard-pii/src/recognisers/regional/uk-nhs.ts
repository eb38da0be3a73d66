import { weighedSum } from '../../checksums/weighed-sum.ts';
import { groupedNumber } from '../../text/digit-groups.ts';
import { type Recogniser, words } from '../recogniser.ts';

/** NHS number, modulo 11. */
export const ukNhs: Recogniser = {
  entity_type: 'UK_NHS',
  anchor: 'token',
  context: { for: words('nhs national_health health') },
  at(text, token) {
    const number = groupedNumber(text, token, [3, 3, 4]);
    if (number === null || /^(\d)\1+$/.test(number.digits)) return null;
    const check = (11 - (weighedSum(number.digits, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 11;
    return { start: token.start, end: number.end, score: check === Number(number.digits.at(-1)) ? 1 : 0 };
  },
};
