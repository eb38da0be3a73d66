import { isLuhn } from '../../checksums/luhn.ts';
import { checkedNumber } from './checked-number.ts';

/** Italian VAT number (partita IVA): eleven digits, Luhn. */
export const itVatCode = checkedNumber(
  'IT_VAT_CODE',
  /(?:IT ?)?\d{3}[ .-]?\d{4}[ .-]?\d{4}/iy,
  'iva p.iva partita vat partita_iva piva',
  (code) => !/^(?:IT)?0+$/.test(code) && isLuhn(code.slice(-11)),
);
