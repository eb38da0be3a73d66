import { weighedSum } from '../../checksums/weighed-sum.ts';
import { checkedCode } from './checked-number.ts';
import { isDay } from './day-of-birth.ts';

const WEIGHTS = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];

/** Chinese resident identity number: region, date of birth, three digits, and a check digit (ISO 7064, MOD 11-2). */
export const cnResidentId = checkedCode(
  'CN_RESIDENT_ID',
  { form: /[1-9]\d{5}[ -]?(?:18|19|20)\d\d(?:0[1-9]|1[0-2])\d\d[ -]?\d{3}[0-9X]/iy, digits: [17, 18] },
  'resident_id resident_identity id_card 身份证 身份證 公民身份',
  (code) => isDay(code.slice(12, 14)) && '10X98765432'.charAt(weighedSum(code, WEIGHTS) % 11) === code.charAt(17),
);
