import { isWordCharacter } from '../../text/characters.ts';
import { type Recogniser, words } from '../recogniser.ts';

const NINO = /(?!BG|GB|NK|KN|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D](?![A-Za-z0-9])/iy;

/** Maximum length in code units, including the character before it. */
const MAX_NINO = 15;
const OPEN = /(?<![A-Za-z0-9])[A-Za-z]{1,2} ?(?:\d{1,2} ?){0,3}[A-Za-z]?$/;

/** The length of `AB `, before the first digits. */
const SPACED_PREFIX = 3;

/** National insurance number: two letters, six digits, a letter. */
export const ukNino: Recogniser = {
  entity_type: 'UK_NINO',
  anchor: 'token',
  digits: [6],
  context: { for: words('nino ni national_insurance insurance') },
  at(text, { start }) {
    const isSpaced = text.charAt(start - 1) === ' ' && /^\d/.test(text.charAt(start));
    const first = isSpaced ? start - SPACED_PREFIX : start;
    if (first < 0 || isWordCharacter(text.charCodeAt(first - 1))) return null;
    NINO.lastIndex = first;
    return NINO.test(text) ? { start: first, end: NINO.lastIndex, score: 0.5 } : null;
  },
  openFrom: (text) => text.length - (OPEN.exec(text.slice(-MAX_NINO))?.[0].length ?? 0),
};
