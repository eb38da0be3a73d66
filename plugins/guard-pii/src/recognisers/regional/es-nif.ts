import { type Recogniser, words } from '../recogniser.ts';
import { openSpanish, spanishNumber } from './spanish-number.ts';

/** The score of a foreigner's number. It stays below 1 with context, so that ES_NIE wins if it is listed too. */
const FOREIGN = 0.64;

/** Spanish tax number: the number of a citizen (DNI) or a foreigner (NIE). */
export const esNif: Recogniser = {
  entity_type: 'ES_NIF',
  anchor: 'token',
  digits: [7, 8],
  context: { for: words('nif nie dni documento identificación identificacion') },
  at(text, { start }) {
    const number = spanishNumber(text, start);
    if (number === null) return null;
    const { end, isForeign, isValid } = number;
    return { start: number.start, end, score: isValid ? (isForeign ? FOREIGN : 1) : 0 };
  },
  openFrom: openSpanish,
};
