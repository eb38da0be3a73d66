import { isLuhn } from '../../checksums/luhn.ts';
import { checkedNumber } from './checked-number.ts';

/** Italian VAT number (partita IVA): eleven digits, Luhn. */
export const itVatCode = checkedNumber(
  'IT_VAT_CODE',
  { shapes: [[3, 4, 4]], signs: ' .-', prefix: 'IT' },
  'iva p.iva partita vat partita_iva piva',
  (code) => !/^0+$/.test(code) && isLuhn(code),
);
