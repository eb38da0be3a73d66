import { isVerhoeff } from '../../checksums/verhoeff.ts';
import { groupedNumber } from '../../text/digit-groups.ts';
import { type Recogniser, words } from '../recogniser.ts';

/** Indian identity number with a Verhoeff check digit. */
export const inAadhaar: Recogniser = {
  entity_type: 'IN_AADHAAR',
  anchor: 'token',
  context: { for: words('aadhaar aadhar uidai') },
  at(text, token) {
    const number = groupedNumber(text, token, [4, 4, 4]);
    if (number === null || /^[01]/.test(number.digits)) return null;
    return { start: token.start, end: number.end, score: isVerhoeff(number.digits) ? 1 : 0 };
  },
};
