import type { RunRow } from '@svc/contracts';
import { expect, it } from 'vitest';
import { expiryOf } from './expire.ts';

const HOUR_MS = 3_600_000;
const row = { created_at: '2026-11-24T10:00:00.000Z', expires_at: '2026-11-24T12:00:00.000Z' } as RunRow;

it.each([
  ['its own expiry', null, '2026-11-24T12:00:00.000Z'],
  ['its own expiry', 3 * HOUR_MS, '2026-11-24T12:00:00.000Z'],
  ['a retention that was shortened since', HOUR_MS, '2026-11-24T11:00:00.000Z'],
])('a paused run is denied by %s: retention %s', (_by, retention_ms, time) => {
  expect(new Date(expiryOf(row, { retention_ms })).toISOString()).toBe(time);
});
