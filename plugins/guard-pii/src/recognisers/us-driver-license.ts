import { goesOnAfter, goesOnBefore } from '../text/grouped-number.ts';
import { type Recogniser, words } from './recogniser.ts';

/** The states' formats: up to two letters and 5 to 14 digits, or 6 to 14 digits, with or without groups. */
const FORMAT = /[A-Za-z]{1,2}\d{5,14}|[A-Za-z](?:-?\d{3,4}){2,4}-?\d{0,2}|\d{6,14}|\d{2,4}-\d{2,4}-\d{3,6}/y;

export const usDriverLicense: Recogniser = {
  entity_type: 'US_DRIVER_LICENSE',
  anchor: 'token',
  context: {
    for: words('driver drivers driving license licence licenses licences permit dl lic dls cdl license_number licence_number'),
  },
  at(text, { start }) {
    FORMAT.lastIndex = start;
    if (goesOnBefore(text, start) || !FORMAT.test(text)) return null;
    const end = FORMAT.lastIndex;
    return /[A-Za-z0-9]/.test(text.charAt(end)) || goesOnAfter(text, end) ? null : { start, end, score: 0.05 };
  },
};
