import { isVerhoeff } from '../../checksums/verhoeff.ts';
import { weighedSum } from '../../checksums/weighed-sum.ts';
import { groupedNumber } from '../../digit-groups.ts';
import { type Recogniser, words } from '../recogniser.ts';

/** India's tax number: it has a form and no check that is public. The fourth letter is the kind of holder. */
export const inPan: Recogniser = {
  entity_type: 'IN_PAN',
  anchor: 'token',
  context: { for: words('pan permanent_account') },
  at(text, { start, end }) {
    const isPan = end - start === 10 && /^[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z]$/i.test(text.slice(start, end));
    return isPan ? { start, end, score: 0.5 } : null;
  },
};

/** India's identity number, by Verhoeff's check digit. */
export const inAadhaar: Recogniser = {
  entity_type: 'IN_AADHAAR',
  anchor: 'token',
  context: { for: words('aadhaar aadhar uidai') },
  at(text, token) {
    const number = groupedNumber(text, token, [4, 4, 4]);
    if (number === null || /^[01]/.test(number.digits)) return null;
    return { start: token.start, end: number.end, score: isVerhoeff(number.digits) ? 1 : 0 };
  },
};

const CITIZEN_LETTERS = 'JZIHGFEDCBA';
const FOREIGN_LETTERS = 'XWUTRQPNMLK';
const FOREIGN_LETTERS_M = 'XWUTRQPNJLK';

/** Singapore's identity numbers, of citizens (S, T) and of foreigners (F, G, M). */
export const sgNricFin: Recogniser = {
  entity_type: 'SG_NRIC_FIN',
  anchor: 'token',
  context: { for: words('nric fin identity_card') },
  at(text, { start, end }) {
    if (end - start !== 9) return null;
    const [, kind = '', digits = '', letter = ''] = /^([STFGM])(\d{7})([A-Z])$/i.exec(text.slice(start, end).toUpperCase()) ?? [];
    if (kind === '') return null;
    const sum = weighedSum(digits, [2, 7, 6, 5, 4, 3, 2]) + ({ T: 4, G: 4, M: 3 }[kind] ?? 0);
    return { start, end, score: lettersOf(kind).charAt(sum % 11) === letter ? 1 : 0 };
  },
};

function lettersOf(kind: string): string {
  if (kind === 'M') return FOREIGN_LETTERS_M;
  return kind === 'S' || kind === 'T' ? CITIZEN_LETTERS : FOREIGN_LETTERS;
}
