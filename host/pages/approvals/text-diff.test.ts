import { expect, it } from 'vitest';
import { textDiff } from './text-diff.ts';

it('shows removed and added words', () => {
  expect(textDiff('pay 10 euros to Bob', 'pay 20 euros to Bob')).toEqual([
    { kind: 'same', text: 'pay ' },
    { kind: 'out', text: '10' },
    { kind: 'in', text: '20' },
    { kind: 'same', text: ' euros to Bob' },
  ]);
});

it.each([
  ['', ''],
  ['', 'a b'],
  ['a b', ''],
  ['a  b\nc', 'c b  a'],
  ['x '.repeat(2000), 'y '.repeat(2000)],
])('contains both texts (%#)', (before, after) => {
  const pieces = textDiff(before, after);
  const without = (kind: string) => pieces.flatMap((piece) => (piece.kind === kind ? [] : [piece.text])).join('');
  expect([without('in'), without('out')]).toEqual([before, after]);
});
