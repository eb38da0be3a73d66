import { weighedSum } from '../../checksums/weighed-sum.ts';
import { groupedNumber } from '../../text/digit-groups.ts';
import { type Recogniser, words } from '../recogniser.ts';

/** Australian Business Number. */
export const auAbn: Recogniser = {
  entity_type: 'AU_ABN',
  anchor: 'token',
  context: { for: words('abn business_number') },
  at(text, token) {
    const number = groupedNumber(text, token, [2, 3, 3, 3]);
    if (number === null || number.digits.startsWith('0')) return null;
    // One is subtracted from the first digit, whose weight is 10.
    const sum = weighedSum(number.digits, [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]) - 10;
    return { start: token.start, end: number.end, score: sum % 89 === 0 ? 1 : 0 };
  },
};
