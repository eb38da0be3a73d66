import { countrySpecs } from 'ibantools';
import { isMod97 } from '../checksums/mod97.ts';
import { isAlphanumeric, isDigit, isWordCharacter } from '../text/characters.ts';
import { type Recogniser, words } from './recogniser.ts';

/** Length of an IBAN by country. */
const LENGTHS: ReadonlyMap<string, number> = new Map(
  Object.entries(countrySpecs).flatMap(([country, { chars, IBANRegistry }]) =>
    chars !== null && chars !== undefined && IBANRegistry ? [[country, chars]] : [],
  ),
);

/** Matches two letters and two digits, up to the country's length, that pass mod 97. Letters may be of either case, and groups are optional. */
export const ibanCode: Recogniser = {
  entity_type: 'IBAN_CODE',
  anchor: 'token',
  context: { for: words('iban bank') },
  at(text, { start, end }) {
    if (end - start < 4 || !isDigit(text.charCodeAt(start + 2)) || isDigit(text.charCodeAt(start))) return null;
    const length = LENGTHS.get(text.slice(start, start + 2).toUpperCase());
    if (length === undefined) return null;
    let iban = '';
    let at = start;
    for (; iban.length < length && at < text.length; at++) {
      if (isAlphanumeric(text.charCodeAt(at))) iban += text.charAt(at);
      else if (!isGap(text, at)) break;
    }
    if (iban.length < length || isWordCharacter(text.charCodeAt(at)) || isInIdentifier(text, start, at)) return null;
    return { start, end: at, score: isMod97(iban.toUpperCase()) ? 1 : 0 };
  },
};

/** Whether it is a part of a longer identifier, such as a UUID. With hyphens, all groups but the last have four characters. */
function isInIdentifier(text: string, start: number, end: number): boolean {
  if (text.charAt(start - 1) === '-' && isAlphanumeric(text.charCodeAt(start - 2))) return true;
  if (text.charAt(end) === '-' && isAlphanumeric(text.charCodeAt(end + 1))) return true;
  const written = text.slice(start, end);
  return written.includes('-') && !/^(?:[^-]{4}-){2,8}[^-]{1,4}$/.test(written);
}

/** Whether it is a single space or hyphen between groups. */
function isGap(text: string, at: number): boolean {
  return ' -'.includes(text.charAt(at)) && isAlphanumeric(text.charCodeAt(at + 1));
}
