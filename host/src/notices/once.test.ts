import { beforeEach, expect, it } from 'vitest';
import { type Occurrence, occurrence } from './notice.ts';
import { Once } from './once.ts';
import { away, memoryStore } from './test-store.ts';

const HOUR_MS = 3_600_000;
const LOW = { name: 'spend', expires_at: Date.now() + HOUR_MS, occurrence: occurrence('budget_low', { name: 'spend' }) };

let given: ReturnType<typeof memoryStore>;
let stored: Occurrence[];
beforeEach(() => {
  given = memoryStore();
  stored = [];
});

/** One process. What it reported is lost if it dies before it is stored. */
function process() {
  const reported: Occurrence[] = [];
  const state = { isStoring: true };
  const once = new Once({
    lease: 'notices-once/budgets',
    leases: given.store,
    counters: given.store.counters,
    clock: { now: () => Date.now(), monotonic: () => Date.now() },
    report: (one) => void reported.push(one),
    stored: async () => {
      if (!state.isStoring) return away();
      stored.push(...reported.splice(0));
    },
  });
  return Object.assign(once, { state });
}

it('a name is reported once by all processes', async () => {
  const [one, other] = [process(), process()];
  expect(await Promise.all([one.report([LOW]), other.report([LOW])])).toContain(true);
  await one.report([LOW]);
  await other.report([LOW]);
  await process().report([LOW]);
  expect(stored).toEqual([LOW.occurrence]);
  expect([one.isKnown('spend'), other.isKnown('spend')]).toEqual([true, true]);
});

it('another process must ask again while one is reporting', async () => {
  given.holders.set('notices-once/budgets', 'another');
  const one = process();
  expect(await one.report([LOW])).toBe(false);
  given.holders.clear();
  expect(await one.report([LOW])).toBe(true);
  expect(stored).toEqual([LOW.occurrence]);
});

it('a process that dies before it stored the occurrence leaves it to the next one', async () => {
  const dying = process();
  dying.state.isStoring = false;
  await expect(dying.report([LOW])).rejects.toThrow('away');
  await process().report([LOW]);
  expect(stored).toEqual([LOW.occurrence]);
});

it('a process that dies between storing and marking makes a duplicate, not a loss', async () => {
  const { reserve } = given.store.counters;
  given.store.counters.reserve = away;
  await expect(process().report([LOW])).rejects.toThrow('away');
  expect(stored).toHaveLength(1);
  given.store.counters.reserve = reserve;
  await process().report([LOW]);
  await process().report([LOW]);
  expect(stored).toEqual([LOW.occurrence, LOW.occurrence]);
});

it.each(['storing', 'marking'] as const)('a process whose store fails when %s makes no duplicate', async (what) => {
  const one = process();
  const { reserve } = given.store.counters;
  if (what === 'storing') one.state.isStoring = false;
  else given.store.counters.reserve = away;
  for (const found of [[LOW], [LOW], []]) await expect(one.report(found)).rejects.toThrow('away');
  one.state.isStoring = true;
  given.store.counters.reserve = reserve;
  expect(await one.report([])).toBe(true);
  await process().report([LOW]);
  expect(stored).toEqual([LOW.occurrence]);
});
