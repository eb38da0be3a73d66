import type { CounterHold } from '@svc/contracts';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { BudgetWatch } from './budget-watch.ts';
import type { Occurrence } from './notice.ts';
import { Once } from './once.ts';
import { StoreTrouble } from './store-trouble.ts';
import { away, memoryStore } from './test-store.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const HOLD: CounterHold = { key: 'spend/al', amount: 4, limit: 5, expires_at: Number.MAX_SAFE_INTEGER, label: 'spend' };

function scene() {
  const { store, holders } = memoryStore();
  const { counters } = store;
  const reported: Occurrence[] = [];
  const lines: object[] = [];
  const line = (fields: object): void => void lines.push(fields);
  const once = new Once({
    lease: 'notices-once/budgets',
    leases: store,
    counters,
    clock: { now: () => Date.now(), monotonic: () => Date.now() },
    report: (one) => void reported.push(one),
    stored: async () => undefined,
  });
  const trouble = new StoreTrouble({ debug: line, info: line, warn: line, error: line });
  const watch = new BudgetWatch({ counters, percent: 80, once, trouble });
  watch.start();
  return { counters, holders, watched: watch.watched(counters), reported, lines };
}

it('reports a budget after a time in which its counter could not be read', async () => {
  const { counters, watched, reported, lines } = scene();
  const { read } = counters;
  counters.read = away;
  await watched.reserve('run-1', [HOLD]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(lines).toEqual([{ event: 'notices_failed', reason: 'Error' }]);
  counters.read = read;
  await vi.advanceTimersByTimeAsync(5_000);
  expect(reported).toMatchObject([{ event: 'budget_low', name: 'spend', amount: 80 }]);
});

it('reports a budget when another process has finished reporting', async () => {
  const { holders, watched, reported } = scene();
  holders.set('notices-once/budgets', 'another');
  await watched.reserve('run-1', [HOLD]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(reported).toEqual([]);
  holders.clear();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(reported).toHaveLength(1);
});
