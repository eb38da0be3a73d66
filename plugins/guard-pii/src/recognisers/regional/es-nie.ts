import { type Recogniser, words } from '../recogniser.ts';
import { openSpanish, type SpanishNumber, spanishNumber } from './spanish-number.ts';

/** Spanish identity number of foreigners. Its first letter counts as a digit. */
export const esNie: Recogniser = {
  entity_type: 'ES_NIE',
  anchor: 'token',
  digits: [7],
  context: { for: words('nie extranjero extranjera extranjeros documento identificación identificacion') },
  at(text, { start }) {
    const number: SpanishNumber | null = spanishNumber(text, start);
    return number?.isForeign ? { start: number.start, end: number.end, score: number.isValid ? 1 : 0 } : null;
  },
  openFrom: openSpanish,
};
