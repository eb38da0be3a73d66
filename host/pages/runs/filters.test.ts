import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addressOf, FILTERS, fieldTime, filtersIn, isoTime, placeOf } from './filters.ts';

it('an address restores the view, whatever the filters', () => {
  const value = fc.string({ minLength: 1 }).filter((text) => text.trim() === text && text !== '');
  const filters = fc.record(Object.fromEntries(FILTERS.map((name) => [name, value])), { requiredKeys: [] });
  fc.assert(
    fc.property(fc.option(value), filters, (run_id, given) => {
      const address = addressOf({ run_id, filters: given });
      expect(placeOf(new URL(address, 'http://localhost').search)).toEqual({ run_id, filters: given });
    }),
  );
});

it('leaves out empty and unknown filters', () => {
  expect(placeOf('?route=&code=%20wire%20&other=1&run=')).toEqual({ run_id: null, filters: { code: 'wire' } });
  expect(filtersIn(() => ' ')).toEqual({});
  expect(addressOf({ run_id: null, filters: {} })).toBe('/runs');
});

it('a time in a field and in the address is the same instant', () => {
  for (const iso of ['2026-01-05T09:00:00.000Z', '2026-07-05T23:59:59.000Z']) expect(isoTime(fieldTime(iso))).toBe(iso);
  expect([fieldTime('soon'), fieldTime(undefined), isoTime('')]).toEqual(['', '', '']);
});
