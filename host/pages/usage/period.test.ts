import { expect, it } from 'vitest';
import { intervalsOf, intervalText, PERIODS } from './period.ts';

const NOW = Date.parse('2026-03-01T10:20:00Z');

it('begins each hour or day in UTC, up to the one in progress', () => {
  const hours = intervalsOf(PERIODS['24h'], NOW);
  expect([hours.length, hours[0], hours.at(-1)]).toEqual([24, '2026-02-28T11:00:00.000Z', '2026-03-01T10:00:00.000Z']);
  const days = intervalsOf(PERIODS['7d'], NOW);
  expect([days.length, days[0], days.at(-1)]).toEqual([7, '2026-02-23T00:00:00.000Z', '2026-03-01T00:00:00.000Z']);
});

it('is named by its hour or its day', () => {
  expect(intervalText('2026-03-01T10:00:00.000Z', 'hour')).toBe('10:00');
  expect(intervalText('2026-03-01T00:00:00.000Z', 'day')).toBe('1 Mar');
});
