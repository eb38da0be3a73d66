import { checkedCode } from './checked-number.ts';

/** Brazilian registration number of companies (CNPJ): twelve digits, since 2026 also letters, and two check digits. */
export const brCnpj = checkedCode(
  'BR_CNPJ',
  { form: /[0-9A-Z]{2}[ .]?[0-9A-Z]{3}[ .]?[0-9A-Z]{3}[ /]?[0-9A-Z]{4}[ -]?\d\d/iy },
  'cnpj cadastro_nacional',
  (code) =>
    !/^(\d)\1+$/.test(code) && checkOf(code.slice(0, 12)) === code.charAt(12) && checkOf(code.slice(0, 13)) === code.charAt(13),
);

/** A character counts as its ASCII code minus 48. The weights from the right are 2 to 9, again and again. */
function checkOf(characters: string): string {
  let sum = 0;
  for (let index = 0; index < characters.length; index++)
    sum += (characters.charCodeAt(characters.length - 1 - index) - 48) * (2 + (index % 8));
  return String(sum % 11 < 2 ? 0 : 11 - (sum % 11));
}
