import type { RunReport } from '@svc/kernel/observing';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SessionMetrics } from './session-metrics.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

it('counts runs of sessions, and sessions with a run in the last 15 minutes', async () => {
  const registry = new Registry();
  const metrics = new SessionMetrics(registry);
  const run = (principal_id: string, session: string | null) =>
    metrics.settled({ caller: { principal_id, session } } as RunReport);
  const shown = async () => [...(await registry.metrics()).matchAll(/^svc_\S+ (\d+)$/gm)].map(([, value]) => Number(value));
  expect(await shown()).toEqual([0, 0]);
  run('alice', null);
  run('alice', 'one');
  run('bob', 'one');
  vi.advanceTimersByTime(600_000);
  run('alice', 'one');
  expect(await shown()).toEqual([3, 2]);
  vi.advanceTimersByTime(600_000);
  expect(await shown()).toEqual([3, 1]);
  vi.advanceTimersByTime(600_000);
  expect(await shown()).toEqual([3, 0]);
});

it('forgets the session whose last run is the oldest when there are too many', async () => {
  const registry = new Registry();
  const metrics = new SessionMetrics(registry);
  const run = (session: string) => metrics.settled({ caller: { principal_id: 'alice', session } } as RunReport);
  const active = async () => Number(/^svc_sessions_active (\d+)$/m.exec(await registry.metrics())?.[1]);
  for (const session of ['first', 'second']) run(session);
  vi.advanceTimersByTime(600_000);
  for (let i = 2; i < 10_000; i += 1) run(`session ${i}`);
  // Of a full map, a known session replaces nothing, and a new one replaces the second.
  for (const session of ['first', 'new']) run(session);
  expect(await active()).toBe(10_000);
  vi.advanceTimersByTime(600_000);
  // All have a run in the last 15 minutes; the second one had not.
  expect(await active()).toBe(10_000);
});
