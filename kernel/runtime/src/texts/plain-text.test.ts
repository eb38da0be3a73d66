import fc from 'fast-check';
import { expect, it } from 'vitest';
import { plainText } from './plain-text.ts';

/** The definition, as a regular expression. It is too slow for a text that consists of escapes. */
function defined(torn: string): string {
  return torn.replace(/(\\\\)|\\u([0-9a-fA-F]{4})/g, (written, backslashes?: string, hex?: string) => {
    const character = backslashes === undefined ? String.fromCharCode(Number.parseInt(hex ?? '', 16)) : written;
    return /[\p{Cc}\p{Cs}"\\]/u.test(character) ? written : character;
  });
}

it('shows escapes as the characters they stand for, except those that JSON requires', () => {
  const pieces = [
    '\\u',
    '\\',
    '\\u0041',
    '\\u00e9',
    '\\u0022',
    '\\u005C',
    '\\u000a',
    '\\u009f',
    '\\uD83d',
    '\\uFEFF',
    '0',
    '4g',
    'u',
    '"',
    '😀',
    '\ufeff',
  ];
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string()), { maxLength: 8 }), (parts) => {
      const torn = parts.join('');
      expect(plainText(torn)).toBe(defined(torn));
    }),
  );
});
