import { expect, it } from 'vitest';
import { timeAgo, timeUntil } from './moment.ts';

const now = Date.parse('2026-11-21T10:00:00.000Z');

it.each([
  ['2026-11-21T10:00:30.000Z', 'just now'],
  ['2026-11-21T09:59:01.000Z', 'just now'],
  ['2026-11-21T09:59:00.000Z', '1 minute ago'],
  ['2026-11-21T09:00:01.000Z', '59 minutes ago'],
  ['2026-11-21T09:00:00.000Z', '1 hour ago'],
  ['2026-11-20T10:00:00.000Z', '1 day ago'],
  ['2026-10-22T10:00:00.000Z', '30 days ago'],
])('%s was %s', (iso, text) => {
  expect(timeAgo(iso, now)).toBe(text);
});

it.each([
  ['2026-11-21T09:59:30.000Z', 'any moment'],
  ['2026-11-21T10:00:59.000Z', 'any moment'],
  ['2026-11-21T10:01:00.000Z', 'in 1 minute'],
  ['2026-11-21T11:59:59.000Z', 'in 1 hour'],
  ['2026-12-21T10:00:00.000Z', 'in 30 days'],
])('%s comes %s', (iso, text) => {
  expect(timeUntil(iso, now)).toBe(text);
});
