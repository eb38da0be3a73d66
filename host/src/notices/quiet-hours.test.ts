import { expect, it } from 'vitest';
import { isQuiet } from './quiet-hours.ts';

it.each([
  ['22:00', '07:00', 'UTC', '2026-11-27T21:59:59Z', false],
  ['22:00', '07:00', 'UTC', '2026-11-27T22:00:00Z', true],
  ['22:00', '07:00', 'UTC', '2026-11-27T00:30:00Z', true],
  ['22:00', '07:00', 'UTC', '2026-11-27T07:00:00Z', false],
  ['12:00', '13:00', 'UTC', '2026-11-27T12:59:00Z', true],
  ['12:00', '13:00', 'UTC', '2026-11-27T13:00:00Z', false],
  ['00:00', '06:00', 'Europe/Berlin', '2026-11-26T23:30:00Z', true],
  ['00:00', '06:00', 'Europe/Berlin', '2026-11-27T05:30:00Z', false],
  // Summer time.
  ['22:00', '07:00', 'Europe/Berlin', '2026-07-01T20:30:00Z', true],
  ['22:00', '07:00', 'Europe/Berlin', '2026-07-01T05:30:00Z', false],
])('from %s to %s in %s: %s', (from, to, time_zone, now, quiet) => {
  expect(isQuiet({ from, to, time_zone }, Date.parse(now))).toBe(quiet);
});
