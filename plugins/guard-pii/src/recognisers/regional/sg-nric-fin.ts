import { weighedSum } from '../../checksums/weighed-sum.ts';
import { type Recogniser, words } from '../recogniser.ts';

const CITIZEN_LETTERS = 'JZIHGFEDCBA';
const FOREIGN_LETTERS = 'XWUTRQPNMLK';
const FOREIGN_LETTERS_M = 'XWUTRQPNJLK';

/** Singapore's identity numbers of citizens (S, T) and foreigners (F, G, M). */
export const sgNricFin: Recogniser = {
  entity_type: 'SG_NRIC_FIN',
  anchor: 'token',
  digits: [7],
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
