import fc from 'fast-check';
import { type CountryCode, getCountries, getCountryCallingCode, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { expect, test } from 'vitest';
import { isInternational, isNational } from './phone-plans.ts';

/** Random digits rarely form a valid number. */
const RUNS = { numRuns: 3_000 };
const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 4, maxLength: 13 });
const region = fc.constantFrom<CountryCode>(
  'US',
  'GB',
  'FR',
  'DE',
  'AU',
  'IT',
  'NL',
  'JP',
  'CN',
  'KR',
  'BE',
  'CH',
  'AT',
  'SE',
  'BR',
  'RU',
);
const callingCode = fc.constantFrom(
  ...new Set(getCountries().map((country) => getCountryCallingCode(country))),
  ...['800', '808', '870', '881', '883', '888', '979', '999', '0'],
);
const abroad = fc.tuple(fc.constantFrom('00', '0011'), callingCode, digits);
const within = fc.tuple(fc.constantFrom('0', '00', '2'), digits);

test('digits are a number within a region where the library takes them for one', () => {
  fc.assert(
    fc.property(fc.oneof(abroad, within), region, (parts, from) => {
      const number = parts.join('');
      fc.pre(!number.startsWith(getCountryCallingCode(from)));
      expect(isNational(number, from)).toBe(parsePhoneNumberFromString(number, from)?.isValid() === true);
    }),
    RUNS,
  );
});

test('digits are a number of the world where the library takes them for one', () => {
  fc.assert(
    fc.property(callingCode, fc.constantFrom('', '0', '1', '8', '15'), digits, (code, prefix, rest) => {
      const number = `${code}${prefix}${rest}`;
      expect(isInternational(number)).toBe(parsePhoneNumberFromString(`+${number}`)?.isValid() === true);
    }),
    RUNS,
  );
});
