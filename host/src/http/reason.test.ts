import { expect, it } from 'vitest';
import { reasonOf } from './reason.ts';

it.each([
  ['a blank one', ' \u00a0\u3000'],
  ['one that only looks blank', '\u2800 \u3164'],
  ['one of joiners', '\u200d\u200c'],
  ['a space of no width', 'lo\u200bst'],
  ['text that runs backwards', 'lost \u202eada yb'],
  ['a separator of lines', 'lost\u2028revoked by ada'],
  ['a separator of paragraphs', 'lost\u2029revoked by ada'],
  ['a line break', 'lost\nrevoked by ada'],
  ['a colour of a terminal', '\u001b[31mlost'],
  ['ill-formed text', '\ud800'],
  ['a key', `lost svc-${'0aF'.repeat(21)}0, see mail`],
  ['a key in letters of full width', `lost ｓｖｃ-${'0a'.repeat(32)}`],
  [
    'a token',
    `lost ${Buffer.from('{"alg":"RS256"}').toString('base64url')}.${Buffer.from('{"sub":"x"}').toString('base64url')}.c2ln`,
  ],
])('%s is refused', (_what, reason) => {
  expect(() => reasonOf(reason)).toThrow('SVC-REQ-001');
});

it.each(['lost at 10:00', 'перевыпуск 👩‍👩‍👧', ' svc-1 ', 'می‌خواهم', 'release v1.2.3', '?'])('%j is kept unchanged', (reason) => {
  expect(reasonOf(reason)).toBe(reason);
});

it('accepts a missing reason', () => {
  expect([reasonOf(null), reasonOf(undefined)]).toEqual([null, null]);
});
