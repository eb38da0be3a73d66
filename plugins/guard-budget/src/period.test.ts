import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Period } from './options.ts';
import { spanAt } from './period.ts';

const PERIODS: readonly Period[] = ['minute', 'hour', 'day', 'month'];
const moments = fc
  .date({ min: new Date('1970-01-01'), max: new Date('2200-01-01'), noInvalidDate: true })
  .map((date) => date.getTime());

describe('spanAt', () => {
  it.each([
    ['minute', '2026-11-21T21:13:59.999Z', '2026-11-21T21:13', '2026-11-21T21:14:00.000Z'],
    ['hour', '2026-11-21T23:00:00.000Z', '2026-11-21T23', '2026-11-22T00:00:00.000Z'],
    ['day', '2028-02-28T12:00:00.000Z', '2028-02-28', '2028-02-29T00:00:00.000Z'],
    ['month', '2026-12-31T23:59:59.999Z', '2026-12', '2027-01-01T00:00:00.000Z'],
    ['month', '2027-02-01T00:00:00.000Z', '2027-02', '2027-03-01T00:00:00.000Z'],
  ] as const)('a %s at %s', (period, at, name, end) => {
    const span = spanAt(period, Date.parse(at));
    expect({ name: span.name, end: new Date(span.end).toISOString() }).toEqual({ name, end });
  });

  it.each(PERIODS)('a %s has its moment in it, and the next begins where it ends', (period) => {
    fc.assert(
      fc.property(moments, (moment) => {
        const { name, end } = spanAt(period, moment);
        expect(end).toBeGreaterThan(moment);
        expect(spanAt(period, end - 1)).toEqual({ name, end });
        expect(spanAt(period, end).name > name).toBe(true);
      }),
    );
  });
});
