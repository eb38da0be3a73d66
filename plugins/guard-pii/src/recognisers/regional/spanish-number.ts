import { isWordCharacter } from '../../text/characters.ts';
import { writtenAs } from './written-as.ts';

const LETTERS = 'TRWAGMYFPDXBNJZSQVHLCKE';
const NUMBER = /(?:[XYZ][ -]?\d[ .]?|\d\d?[ .]?)\d{3}[ .]?\d{3}[ -]?[A-Z]/iy;

/** How many code units before the end of a text an incomplete number may begin. */
const LONGEST = 16;
const OPEN = /(?<![A-Za-z0-9])(?:[XYZ][ -]?)?(?:\d[ .-]?){0,8}[A-Z]?$/i;

/** The number of a citizen (DNI, NIF) or a foreigner (NIE). */
export interface SpanishNumber {
  readonly start: number;
  readonly end: number;
  readonly isForeign: boolean;
  /** Whether its last letter is right. */
  readonly isValid: boolean;
}

/** The number that begins at `start`, or at a letter before it: `X-1234567-L`. */
export function spanishNumber(text: string, start: number): SpanishNumber | null {
  const hasLetter = /[XYZ][ -]/i.test(text.slice(Math.max(0, start - 2), start)) && !isWordCharacter(text.charCodeAt(start - 3));
  const first = hasLetter ? start - 2 : start;
  const written = writtenAs(NUMBER, text, first);
  if (written === null) return null;
  const { code, end } = written;
  const isForeign = code.charCodeAt(0) >= 88;
  if (code.length !== 9) return code.length === 8 && !isForeign ? validated(`0${code}`, first, end) : null;
  return validated(code, first, end);
}

function validated(code: string, start: number, end: number): SpanishNumber {
  const leading = 'XYZ'.indexOf(code.charAt(0));
  const digits = leading < 0 ? code.slice(0, 8) : `${leading}${code.slice(1, 8)}`;
  return { start, end, isForeign: leading >= 0, isValid: LETTERS.charAt(Number(digits) % 23) === code.charAt(8) };
}

/** The start of a number at the end of a text that more text may change. */
export function openSpanish(text: string): number {
  return text.length - (OPEN.exec(text.slice(-LONGEST))?.[0].length ?? 0);
}
