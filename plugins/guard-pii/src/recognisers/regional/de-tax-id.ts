import { checkedNumber } from './checked-number.ts';

/**
 * German tax identification number. Among the first ten digits, exactly one occurs two or three times. The last digit is a check digit (ISO 7064, MOD
 * 11,10).
 */
export const deTaxId = checkedNumber(
  'DE_TAX_ID',
  { shapes: [[2, 3, 3, 3]] },
  'steuer steuerid steuernummer steueridentifikationsnummer idnr tax_id',
  (digits) => {
    if (digits.startsWith('0') || new Set(digits.slice(0, 10)).size < 8) return false;
    let product = 10;
    for (const digit of digits.slice(0, 10)) {
      const sum = (Number(digit) + product) % 10;
      product = ((sum === 0 ? 10 : sum) * 2) % 11;
    }
    return (11 - product) % 10 === Number(digits.at(-1));
  },
);
