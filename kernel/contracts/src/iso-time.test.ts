import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isoTime } from './iso-time.ts';

it('equals the output of Date, whatever time was formatted before', () => {
  const moment = fc.integer({ min: -8.64e15, max: 8.64e15 });
  const near = fc.tuple(moment, fc.array(fc.integer({ min: -2000, max: 2000 })));
  fc.assert(
    fc.property(near, ([from, steps]) => {
      for (const step of [0, ...steps]) {
        const ms = Math.min(8.64e15, Math.max(-8.64e15, from + step));
        for (const moment of [ms, ms + 0.25]) expect(isoTime(moment)).toBe(new Date(moment).toISOString());
      }
    }),
  );
  expect(() => isoTime(Number.NaN)).toThrow(RangeError);
  expect(() => isoTime(8.64e15 + 1000)).toThrow(RangeError);
});
