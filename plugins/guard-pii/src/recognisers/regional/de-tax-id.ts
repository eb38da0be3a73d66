import { groupedNumber } from '../../text/digit-groups.ts';
import { type Recogniser, words } from '../recogniser.ts';

/**
 * German tax identification number. Among the first ten digits, exactly one occurs two or three times. The last digit is a check digit (ISO 7064, MOD
 * 11,10).
 */
export const deTaxId: Recogniser = {
  entity_type: 'DE_TAX_ID',
  anchor: 'token',
  context: { for: words('steuer steuerid steuernummer steueridentifikationsnummer idnr tax_id') },
  at(text, token) {
    const number = groupedNumber(text, token, [2, 3, 3, 3]);
    if (number === null || number.digits.startsWith('0') || new Set(number.digits.slice(0, 10)).size < 8) return null;
    let product = 10;
    for (const digit of number.digits.slice(0, 10)) {
      const sum = (Number(digit) + product) % 10;
      product = ((sum === 0 ? 10 : sum) * 2) % 11;
    }
    const check = (11 - product) % 10;
    return { start: token.start, end: number.end, score: check === Number(number.digits.at(-1)) ? 1 : 0 };
  },
};
