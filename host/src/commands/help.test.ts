import { expect, it } from 'vitest';
import { helpOf } from './help.ts';

it.each([undefined, 'keys', 'ledger', 'serve'])('the help of %s fits into 100 columns', (group) => {
  const lines = helpOf(group).split('\n');
  expect(lines.filter((line) => line.length > 100)).toEqual([]);
  expect(lines.length).toBeGreaterThan(4);
});
