import { expect, test } from 'vitest';
import { decoded } from './encodings.ts';

test('a list of very many decimal codes is decoded', () => {
  expect(decoded('65 66 32 '.repeat(200_000))).toEqual(['AB '.repeat(200_000)]);
});
