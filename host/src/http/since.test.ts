import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseSince } from './since.ts';

it.each([
  ['2026-11-21', '2026-11-21T00:00:00.000Z'],
  ['2026-11-21T10:00', '2026-11-21T10:00:00.000Z'],
  ['2026-11-21T10:00:01', '2026-11-21T10:00:01.000Z'],
  ['2026-11-21T10:00:01.5Z', '2026-11-21T10:00:01.500Z'],
  ['2026-11-21T10:00:01.0001Z', '2026-11-21T10:00:01.001Z'],
  ['2026-11-21T10:00:01+02:00', '2026-11-21T08:00:01.000Z'],
  ['2026-11-21T10:00:01 02:00', '2026-11-21T08:00:01.000Z'],
  ['2026-11-21T10:00:01-0530', '2026-11-21T15:30:01.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
])('%s is %s', (text, iso) => {
  expect(parseSince(text)).toBe(iso);
});

it.each([
  '',
  'yesterday',
  '2026-02-29',
  '2026-13-01',
  '2026-1-1',
  '2026-11-21T25:00',
  '2026-11-21T10:61',
  '2026-11-21T10:00+25:00',
  '1700000000',
  '2026-11-21Z',
  '2026-11-21T10:00:01Z;--',
])('%s is refused', (text) => {
  expect(parseSince(text)).toBeNull();
});

it('reads back every timestamp that the gateway writes', () => {
  fc.assert(
    fc.property(fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }), (date) => {
      expect(parseSince(date.toISOString())).toBe(date.toISOString());
    }),
  );
});
