import { expect, it } from 'vitest';
import { reasonOf } from './reason.ts';

it.each([
  ['a blank one', ' \u00a0\u3000'],
  ['a line break', 'lost\nrevoked by ada'],
  ['a colour of a terminal', '\u001b[31mlost'],
  ['ill-formed text', '\ud800'],
  ['a key', `lost svc-${'0aF'.repeat(21)}0, see mail`],
])('%s is refused', (_what, reason) => {
  expect(() => reasonOf(reason)).toThrow('SVC-REQ-001');
});

it.each(['lost at 10:00', 'перевыпуск 👩‍👩‍👧', ' svc-1 '])('%j is kept as it is', (reason) => {
  expect(reasonOf(reason)).toBe(reason);
});

it('none is none', () => {
  expect([reasonOf(null), reasonOf(undefined)]).toEqual([null, null]);
});
