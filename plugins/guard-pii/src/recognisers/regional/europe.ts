import { weighedSum } from '../../checksums/weighed-sum.ts';
import { groupedNumber } from '../../digit-groups.ts';
import { type Recogniser, words } from '../recogniser.ts';

const NIF_LETTERS = 'TRWAGMYFPDXBNJZSQVHLCKE';

/** Spain's tax numbers: of citizens (NIF), and of foreigners (NIE), whose first letter counts as a digit. */
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

const CODICE = /^[A-Z]{6}[0-9LMNP-V]{2}[ABCDEHLMPRST][0-9LMNP-V]{2}[A-Z][0-9LMNP-V]{3}[A-Z]$/i;
/** What characters in odd places count, from 0 and from A on. */
const ODD_DIGITS = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21];
const ODD_LETTERS = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];

/** Italy's fiscal code of persons. */
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

/** Poland's number of persons. */
export const plPesel: Recogniser = {
  entity_type: 'PL_PESEL',
  anchor: 'token',
  context: { for: words('pesel') },
  at(text, token) {
    const number = groupedNumber(text, token, [11]);
    if (number === null || !isCenturyMonth(number.digits.slice(2, 4)) || !isDay(number.digits.slice(4, 6))) return null;
    const isValid = weighedSum(number.digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0;
    return { start: token.start, end: number.end, score: isValid ? 1 : 0 };
  },
};

/** The month has 20, 40, 60 or 80 added by the century. */
function isCenturyMonth(digits: string): boolean {
  const month = Number(digits) % 20;
  return month >= 1 && month <= 12;
}

function isDay(digits: string): boolean {
  const day = Number(digits);
  return day >= 1 && day <= 31;
}

const HETU = /\d{6}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y](?![A-Za-z0-9])/iy;

/** Finland's personal identity code. */
export const fiPersonalIdentityCode: Recogniser = {
  entity_type: 'FI_PERSONAL_IDENTITY_CODE',
  anchor: 'token',
  context: { for: words('hetu henkilötunnus personal_identity personbeteckning') },
  at(text, { start }) {
    HETU.lastIndex = start;
    if (!HETU.test(text)) return null;
    const code = text.slice(start, HETU.lastIndex).toUpperCase();
    const isDate = isDay(code.slice(0, 2)) && Number(code.slice(2, 4)) >= 1 && Number(code.slice(2, 4)) <= 12;
    const check = '0123456789ABCDEFHJKLMNPRSTUVWXY'.charAt(Number(code.slice(0, 6) + code.slice(7, 10)) % 31);
    return { start, end: HETU.lastIndex, score: isDate && check === code.charAt(10) ? 1 : 0 };
  },
};

/** Germany's tax number of persons: of ten digits one stands twice or three times; the last is a check digit (ISO 7064, MOD 11,10). */
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
