import { expect, it } from 'vitest';
import { countTokens } from './token-counter.ts';

it('counts the tokens of each text in o200k_base, special ones as text', async () => {
  expect(await countTokens(['hello world', '', '<|endoftext|>'])).toEqual([2, 0, 7]);
});

it('counts many texts in one request', async () => {
  const counts = await Promise.all(Array.from({ length: 20 }, () => countTokens(['hello world'])));
  expect(counts).toEqual(Array(20).fill([2]));
});
