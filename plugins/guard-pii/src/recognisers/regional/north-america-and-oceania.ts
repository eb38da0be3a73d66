import { isLuhn } from '../../checksums/luhn.ts';
import { weighedSum } from '../../checksums/weighed-sum.ts';
import { groupedNumber } from '../../digit-groups.ts';
import { type Recogniser, words } from '../recogniser.ts';

/** Canada's social insurance number. 0 and 8 are given to no one. */
export const caSin: Recogniser = {
  entity_type: 'CA_SIN',
  anchor: 'token',
  context: { for: words('sin sins social_insurance nas national_insurance insurance') },
  at(text, token) {
    const number = groupedNumber(text, token, [3, 3, 3]);
    if (number === null || number.digits === '000000000') return null;
    return { start: token.start, end: number.end, score: isLuhn(number.digits) ? 1 : 0 };
  },
};

/** Australia's tax file number. */
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

/** Australia's business number. */
export const auAbn: Recogniser = {
  entity_type: 'AU_ABN',
  anchor: 'token',
  context: { for: words('abn business_number') },
  at(text, token) {
    const number = groupedNumber(text, token, [2, 3, 3, 3]);
    if (number === null || number.digits.startsWith('0')) return null;
    // One is taken from the first digit, whose weight is 10.
    const sum = weighedSum(number.digits, [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]) - 10;
    return { start: token.start, end: number.end, score: sum % 89 === 0 ? 1 : 0 };
  },
};

/** Australia's company number. */
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

/** Australia's Medicare card. */
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
