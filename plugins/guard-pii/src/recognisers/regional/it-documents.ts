import { type Recogniser, words } from '../recogniser.ts';
import { writtenAs } from './written-as.ts';

/** A document number without a check digit. It needs context. */
function documentNumber(entity_type: string, form: RegExp, labels: string, digits?: readonly number[]): Recogniser {
  return {
    entity_type,
    anchor: 'token',
    digits,
    context: { for: words(labels) },
    at(text, { start }) {
      const written = writtenAs(form, text, start);
      return written === null ? null : { start, end: written.end, score: 0.05 };
    },
  };
}

/** Italian passport: two letters and seven digits. */
export const itPassport = documentNumber('IT_PASSPORT', /[A-Z]{2}\d{7}/iy, 'passaporto passport', [7]);

/** Italian identity card: electronic (`CA12345AA`), and on paper (`AA1234567`). */
export const itIdentityCard = documentNumber(
  'IT_IDENTITY_CARD',
  /C[A-Z]\d{5}[A-Z]{2}|[A-Z]{2}\d{7}|\d{7}[A-Z]{2}/iy,
  'carta identità identita carta_identità cie documento ci identity_card',
  [5, 7],
);

/** Italian driving licence. */
export const itDriverLicense = documentNumber(
  'IT_DRIVER_LICENSE',
  /[A-Z]{2}\d{7}[A-Z]|U1[A-Z0-9]{7}[A-Z]/iy,
  'patente guida patente_di licenza driving_licence driver_license',
);
