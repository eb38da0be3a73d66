import { collectDefaultMetrics, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { EventLoopMetrics } from './event-loop-metrics.ts';

const HELD_MS = 300;

/** How often a timer was late by at least a quarter of a second. */
function lateTimers(text: string): number {
  const count = (le: string) =>
    Number(new RegExp(`^svc_event_loop_delay_seconds_bucket\\{le="${le.replace('+', '\\+')}"\\} (\\d+)$`, 'm').exec(text)?.[1]);
  return count('+Inf') - count('0.25');
}

it('reports the delays of the event loop to each of several scrapers', async () => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  new EventLoopMetrics(registry);
  expect(lateTimers(await registry.metrics())).toBe(0);
  for (const until = performance.now() + HELD_MS; performance.now() < until; );
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setInterval(async () => {
    if (lateTimers(await registry.metrics()) > 0) resolve();
  }, 5);
  await promise;
  clearInterval(timer);
  const [first, second] = [await registry.metrics(), await registry.metrics()];
  expect(lateTimers(first)).toBeGreaterThan(0);
  expect(lateTimers(second)).toBeGreaterThanOrEqual(lateTimers(first));
  // Whoever reads those gauges resets them.
  expect(second).not.toContain('nodejs_eventloop_lag');
});
