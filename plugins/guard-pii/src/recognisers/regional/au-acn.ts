import { weighedSum } from '../../checksums/weighed-sum.ts';
import { groupedNumber } from '../../text/digit-groups.ts';
import { type Recogniser, words } from '../recogniser.ts';

/** Australian Company Number. */
export const auAcn: Recogniser = {
  entity_type: 'AU_ACN',
  anchor: 'token',
  context: { for: words('acn company_number') },
  at(text, token) {
    const number = groupedNumber(text, token, [3, 3, 3]);
    if (number === null || number.digits === '000000000') return null;
    const check = (10 - (weighedSum(number.digits, [8, 7, 6, 5, 4, 3, 2, 1]) % 10)) % 10;
    return { start: token.start, end: number.end, score: check === Number(number.digits.at(-1)) ? 1 : 0 };
  },
};
