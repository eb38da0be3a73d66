import { weighedSum } from '../../checksums/weighed-sum.ts';
import { type Recogniser, words } from '../recogniser.ts';
import { isDay } from './day-of-birth.ts';
import { writtenAs } from './written-as.ts';

const RRN = /\d\d(?:0[1-9]|1[0-2])\d\d ?-? ?[1-8]\d{6}/y;

/** Korean resident registration number: date of birth, sex and century, six digits. Numbers issued since October 2020 have no check digit. */
export const krRrn: Recogniser = {
  entity_type: 'KR_RRN',
  anchor: 'token',
  digits: [13],
  context: { for: words('rrn resident_registration 주민등록번호 주민번호 외국인등록번호') },
  at(text, { start }) {
    const written = writtenAs(RRN, text, start);
    if (written === null || !isDay(written.code.slice(4, 6))) return null;
    const check = (11 - (weighedSum(written.code, [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]) % 11)) % 10;
    if (check === Number(written.code.at(-1))) return { start, end: written.end, score: 1 };
    return { start, end: written.end, score: text.slice(start, written.end).includes('-') ? 0.5 : 0.05 };
  },
};
