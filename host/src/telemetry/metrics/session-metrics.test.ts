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
