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

/** @param given the store that several processes share */
function scene({ store, holders }: ReturnType<typeof memoryStore> = memoryStore()) {
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
  return { counters, holders, watch, watched: watch.watched(counters), reported, lines };
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

it('reports the budget of a session once, however long the session lasts and whichever process serves it', async () => {
  const [HOUR_MS, IDLE_MS] = [3_600_000, 24 * 3_600_000];
  const given = memoryStore();
  const processes = [scene(given), scene(given)];
  const reported = () => processes.flatMap((one) => one.reported);
  const run = async (n: number, amount: number) => {
    const hold = { ...HOLD, amount, limit: 100, expires_at: Date.now() + IDLE_MS };
    await processes[n % 2]?.watched.reserve(`run-${n}`, [hold]);
    await vi.advanceTimersByTimeAsync(3_000);
  };
  await run(0, 90);
  expect(reported()).toHaveLength(1);
  for (let n = 1; n < 8; n += 1) {
    // The longest pauses that a session survives, and short ones.
    vi.setSystemTime(Date.now() + (n % 3 === 0 ? HOUR_MS / 2 : IDLE_MS - HOUR_MS / 2));
    await run(n, 1);
  }
  expect(reported()).toHaveLength(1);
  vi.setSystemTime(Date.now() + IDLE_MS + 2 * HOUR_MS);
  await run(8, 90);
  expect(reported()).toHaveLength(2);
  await Promise.all(processes.map(({ watch }) => watch.stop()));
});

it('writes at most once an hour that a session goes on', async () => {
  const given = memoryStore();
  const { watch, watched, counters } = scene(given);
  const reserve = vi.spyOn(counters, 'reserve');
  await counters.reserve('earlier', [{ ...HOLD, expires_at: Date.now() + 86_400_000 }]);
  const run = () => watched.reserve('run', [{ ...HOLD, amount: 0, expires_at: Date.now() + 86_400_000 }]);
  for (let minute = 0; minute < 60; minute += 1) {
    await run();
    await vi.advanceTimersByTimeAsync(60_000);
  }
  // The mark, its first extension, and one an hour.
  expect(reserve.mock.calls.filter(([, [hold]]) => hold?.key.startsWith('notice/')).length).toBeLessThanOrEqual(3);
  await watch.stop();
});
