import { type Recogniser, words } from '../recogniser.ts';
import { writtenAs } from './written-as.ts';

const SEXES = '[1-478]';
const REST = String.raw`[ .-]?\d\d[ .-]?(?:0[1-9]|1[0-2]|[2-9]\d)[ .-]?(?:\d\d|2[AB])[ .-]?\d{3}[ .-]?\d{3}`;
const WITHOUT_KEY = new RegExp(SEXES + REST, 'iy');
const WITH_KEY = new RegExp(String.raw`${SEXES}${REST}(?:[ .-]| ?[/(] ?)?\d\d`, 'iy');

/** How many code units before the end of a text a number that is still incomplete may begin. */
const LONGEST = 28;
const OPEN = /(?<![A-Za-z0-9])\d(?:[ .-]?[0-9AB]){0,14}(?: ?[ ./(-] ?)?\d?$/i;

/**
 * French social security number (NIR): sex, year and month of birth, department and commune, a serial number, and a key modulo 97. Without the key it
 * needs context. In Corsica, the department is 2A or 2B.
 */
export const frNir: Recogniser = {
  entity_type: 'FR_NIR',
  anchor: 'token',
  digits: [6, 13, 15],
  context: {
    for: words(
      'nir sécu securité sécurité sécurité_sociale securite_sociale sociale insee immatriculation ss carte_vitale vitale',
    ),
  },
  at(text, { start }) {
    const whole = writtenAs(WITH_KEY, text, start);
    if (whole !== null && isKey(whole.code)) return { start, end: whole.end, score: 1 };
    const written = writtenAs(WITHOUT_KEY, text, start);
    if (written === null) return null;
    return { start, end: written.end, score: written.end - start > written.code.length ? 0.3 : 0.05 };
  },
  openFrom: (text) => text.length - (OPEN.exec(text.slice(-LONGEST))?.[0].length ?? 0),
};

function isKey(code: string): boolean {
  const digits = code.slice(0, 13).replace('2A', '19').replace('2B', '18');
  return 97 - (Number(digits) % 97) === Number(code.slice(13));
}
