import { describe, expect, test } from 'vitest';
import { withChecksum } from '../samples.ts';
import { holdsChecksum } from './checksum.ts';
import { entropy, unlessPlaceholder } from './entropy.ts';

describe('entropy', () => {
  test.each([
    ['', 0],
    ['aaaa', 0],
    ['abab', 1],
    ['abcd', 2],
    ['abcdefgh', 3],
    ['😀😁😀😁', 1],
  ])('of %j is %d bits', (text, bits) => expect(entropy(text)).toBeCloseTo(bits, 10));

  test.each([
    'ghp_xxxxxxxxxxxxxxxxxxxxxx',
    'YOUR_API_KEY_GOES_IN_HERE',
    'AIza000000000000abcdefghij',
    'sk-proj-aaaaaaaaaaaaaaaaaaaaa',
  ])('of the placeholder %s does not count', (text) => expect(unlessPlaceholder(text)).toBe(0));
});

describe('the checksum of a token', () => {
  // The example of GitHub's format that other tools also use.
  test('holds for a published one', () =>
    expect(holdsChecksum(['ghp', 'zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17'].join('_'))).toBe(true));
  test('fails where a character differs', () => {
    const token = withChecksum('npm');
    expect(holdsChecksum(token)).toBe(true);
    for (let at = 4; at < token.length; at++) {
      const other = token[at] === 'a' ? 'b' : 'a';
      expect(holdsChecksum(token.slice(0, at) + other + token.slice(at + 1))).toBe(false);
    }
  });
});
