import { expect, test } from 'vitest';
import { retryAfter } from './retry-after.ts';

const now = Date.parse('2026-11-21T10:00:00.500Z');

test.each<[string | string[] | undefined, number | undefined]>([
  ['0', 0],
  ['120', 120],
  [' 7 ', 7],
  ['Sat, 21 Nov 2026 10:01:00 GMT', 60],
  ['Saturday, 21-Nov-26 10:01:00 GMT', 60],
  ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
  ['-3', undefined],
  ['1.5', undefined],
  ['soon', undefined],
  ['Sat, soon', undefined],
  ['', undefined],
  ['99999999999999999999', undefined],
  [['1', '2'], undefined],
  [undefined, undefined],
])('%o is %o seconds', (header, seconds) => expect(retryAfter(header, now)).toBe(seconds));
