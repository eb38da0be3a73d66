import { type Recogniser, words } from '../recogniser.ts';

const NIF_LETTERS = 'TRWAGMYFPDXBNJZSQVHLCKE';

/** Spanish tax numbers of citizens (NIF) and foreigners (NIE). The first letter of an NIE counts as a digit. */
export const esNif: Recogniser = {
  entity_type: 'ES_NIF',
  anchor: 'token',
  context: { for: words('nif nie dni documento identificación identificacion') },
  at(text, { start }) {
    const [found, prefix = '', digits = '', letter = ''] =
      /^([XYZ]-?)?(\d{7,8})-?([A-Z])(?![A-Z0-9])/i.exec(text.slice(start, start + 13)) ?? [];
    if (found === undefined || digits.length !== (prefix === '' ? 8 : 7)) return null;
    const leading = prefix === '' ? '' : 'XYZ'.indexOf(prefix.charAt(0).toUpperCase());
    const isValid = NIF_LETTERS.charAt(Number(`${leading}${digits}`) % 23) === letter.toUpperCase();
    return { start, end: start + found.length, score: isValid ? 1 : 0 };
  },
};
