import { isVerhoeff } from '../../checksums/verhoeff.ts';
import { checkedNumber } from './checked-number.ts';

/** Indian identity number with a Verhoeff check digit. */
export const inAadhaar = checkedNumber(
  'IN_AADHAAR',
  { shapes: [[4, 4, 4]] },
  'aadhaar aadhar uidai',
  (digits) => !/^[01]/.test(digits) && isVerhoeff(digits),
);
