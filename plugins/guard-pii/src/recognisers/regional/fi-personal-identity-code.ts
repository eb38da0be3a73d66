import { type Recogniser, words } from '../recogniser.ts';
import { isDay } from './day-of-birth.ts';

const HETU = /\d{6}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y](?![A-Za-z0-9])/iy;

/** Finnish personal identity code. */
export const fiPersonalIdentityCode: Recogniser = {
  entity_type: 'FI_PERSONAL_IDENTITY_CODE',
  anchor: 'token',
  digits: [6, 9, 10],
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
