import { weighedSum } from '../checksums/weighed-sum.ts';
import { type Recogniser, words } from './recogniser.ts';

/** A DEA number: a letter for the kind of registrant, a letter or 9, six digits and a check digit. */
export const medicalLicense: Recogniser = {
  entity_type: 'MEDICAL_LICENSE',
  anchor: 'token',
  digits: [7, 8],
  context: { for: words('dea medical certificate') },
  at(text, { start, end }) {
    if (end - start !== 9) return null;
    const [, digits] = /^[A-HJ-MPR-UX][A-Z9](\d{7})$/i.exec(text.slice(start, end)) ?? [];
    if (digits === undefined) return null;
    return { start, end, score: weighedSum(digits, [1, 2, 1, 2, 1, 2]) % 10 === Number(digits.at(-1)) ? 1 : 0 };
  },
};
