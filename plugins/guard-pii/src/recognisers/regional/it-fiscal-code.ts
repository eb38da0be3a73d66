import { type Recogniser, words } from '../recogniser.ts';

const CODICE = /^[A-Z]{6}[0-9LMNP-V]{2}[ABCDEHLMPRST][0-9LMNP-V]{2}[A-Z][0-9LMNP-V]{3}[A-Z]$/i;

/** Values of characters in odd positions, beginning with 0 and A. */
const ODD_DIGITS = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21];
const ODD_LETTERS = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];

/** Italian fiscal code of individuals. */
export const itFiscalCode: Recogniser = {
  entity_type: 'IT_FISCAL_CODE',
  anchor: 'token',
  context: { for: words('codice_fiscale fiscale cf') },
  at(text, { start, end }) {
    const code = text.slice(start, end).toUpperCase();
    if (code.length !== 16 || !CODICE.test(code)) return null;
    let sum = 0;
    for (let index = 0; index < 15; index++) {
      const value = Number.parseInt(code.charAt(index), 36);
      const letter = value - 10;
      if (index % 2 === 1) sum += letter >= 0 ? letter : value;
      else sum += (letter >= 0 ? ODD_LETTERS[letter] : ODD_DIGITS[value]) ?? 0;
    }
    return { start, end, score: sum % 26 === code.charCodeAt(15) - 65 ? 1 : 0 };
  },
};
