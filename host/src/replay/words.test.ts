import { expect, it } from 'vitest';
import { percent } from '../try/words.ts';
import { shareOf } from './wilson.ts';
import { interval } from './words.ts';

it.each([
  [0, 0, '–'],
  [0, 20, '0 to 16.1 %'],
  [20, 20, '83.9 to 100 %'],
  [10_400, 100_000, '10.2 to 10.6 %'],
  [1, 100_000, '0.00020 to 0.0057 %'],
])('%i of %i: %s', (runs, of, text) => {
  expect(interval(shareOf(runs, of))).toBe(text);
});

it.each([
  [0, 0, '0 %'],
  [0, 9, '0 %'],
  [9, 9, '100 %'],
  [1, 3, '33.3 %'],
  [40, 100_000, '0.040 %'],
  [99_990, 100_000, '99.9 %'],
])('%i of %i are %s', (part, whole, text) => {
  expect(percent(part, whole)).toBe(text);
});
