import { visible } from '@svc/toolkit/masking';
import { decoded } from './percent-encoding.ts';
import { withPlainSigns } from './plain-signs.ts';

/** The normal form of a value. Different spellings of one value get the same placeholder. */
export function normalForm(entity_type: string, written: string): string {
  const value = withPlainSigns(visible(entity_type === 'URL' ? written : decoded(written)));
  switch (entity_type) {
    case 'CRYPTO':
    case 'URL':
      return value;
    case 'PHONE_NUMBER':
    case 'CREDIT_CARD':
    case 'US_SSN':
    case 'US_ITIN':
    case 'US_BANK_NUMBER':
      return value.replace(/[^\dx]/g, '');
    case 'IBAN_CODE':
    case 'US_PASSPORT':
    case 'US_DRIVER_LICENSE':
    case 'MEDICAL_LICENSE':
      return compact(value);
    case 'EMAIL_ADDRESS':
    case 'IP_ADDRESS':
      return value.toLowerCase();
    case 'PERSON':
    case 'LOCATION':
    case 'DATE_TIME':
    case 'NRP':
      return value.normalize('NFC').toLowerCase().replace(/\s+/g, ' ');
    default:
      // For regional numbers and matches of operators' patterns, spaces and signs rarely make a difference.
      return compact(value);
  }
}

function compact(value: string): string {
  return value.toUpperCase().replace(/[\s.\-/]+/g, '');
}
