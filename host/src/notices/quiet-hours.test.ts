import { expect, it } from 'vitest';
import { quietHours } from './quiet-hours.ts';

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
  // Clocks are set forward from 02:00 to 03:00: quiet hours within this hour have begun, or are over, at 03:00.
  ['02:30', '07:00', 'Europe/Berlin', '2026-03-29T00:59:59Z', false],
  ['02:30', '07:00', 'Europe/Berlin', '2026-03-29T01:00:00Z', true],
  ['22:00', '02:30', 'Europe/Berlin', '2026-03-29T00:59:59Z', true],
  ['22:00', '02:30', 'Europe/Berlin', '2026-03-29T01:00:00Z', false],
  ['22:00', '07:00', 'Europe/Berlin', '2026-03-29T04:59:59Z', true],
  ['22:00', '07:00', 'Europe/Berlin', '2026-03-29T05:00:00Z', false],
  // Clocks are set back from 03:00 to 02:00: a time within this hour counts twice.
  ['02:30', '07:00', 'Europe/Berlin', '2026-10-25T00:30:00Z', true],
  ['02:30', '07:00', 'Europe/Berlin', '2026-10-25T01:00:00Z', false],
  ['02:30', '07:00', 'Europe/Berlin', '2026-10-25T01:30:00Z', true],
  ['22:00', '02:30', 'Europe/Berlin', '2026-10-25T00:30:00Z', false],
  ['22:00', '02:30', 'Europe/Berlin', '2026-10-25T01:00:00Z', true],
  ['22:00', '02:30', 'Europe/Berlin', '2026-10-25T01:30:00Z', false],
  ['22:00', '07:00', 'Europe/Berlin', '2026-10-25T01:30:00Z', true],
  ['22:00', '07:00', 'Europe/Berlin', '2026-10-25T05:59:59Z', true],
  ['22:00', '07:00', 'Europe/Berlin', '2026-10-25T06:00:00Z', false],
])('from %s to %s in %s: %s', (from, to, time_zone, now, quiet) => {
  expect(quietHours({ from, to, time_zone })(Date.parse(now))).toBe(quiet);
});
