import { weighedSum } from '../../checksums/weighed-sum.ts';
import { groupedNumber } from '../../text/digit-groups.ts';
import { type Recogniser, words } from '../recogniser.ts';

/** Australian tax file number. */
export const auTfn: Recogniser = {
  entity_type: 'AU_TFN',
  anchor: 'token',
  context: { for: words('tfn tax_file') },
  at(text, token) {
    const number = groupedNumber(text, token, [3, 3, 3]);
    if (number === null || number.digits === '000000000') return null;
    const isValid = weighedSum(number.digits, [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0;
    return { start: token.start, end: number.end, score: isValid ? 1 : 0 };
  },
};
