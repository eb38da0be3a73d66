import type { CounterHold, Counters } from '@svc/contracts';
import { Registry } from 'prom-client';
import { beforeEach, expect, it } from 'vitest';
import { away, memoryStore } from '../../notices/test-store.ts';
import { BudgetMetrics } from './budget-metrics.ts';

const hold = (label: string, fields: Partial<CounterHold> = {}): CounterHold => ({
  key: label,
  amount: 1,
  limit: 10,
  expires_at: Number.MAX_SAFE_INTEGER,
  label,
  ...fields,
});

let registry: Registry;
let counters: Counters;
let watched: Counters;
let now: number;
beforeEach(() => {
  registry = new Registry();
  counters = memoryStore().store.counters;
  now = 0;
  watched = new BudgetMetrics(registry).watched(counters, { now: () => now });
});

async function shown(): Promise<Record<string, number>> {
  const text = await registry.metrics();
  return Object.fromEntries(
    [...text.matchAll(/budget="([^"]*)"\} (\S+)/g)].map(([, budget = '', value]) => [budget, Number(value)]),
  );
}

it('shows the highest share of each budget, without the names of callers', async () => {
  await watched.reserve('1', [hold('spend/principal-tokens-day/alice', { amount: 3 })]);
  await watched.reserve('2', [hold('spend/principal-tokens-day/bob/x', { amount: 9 })]);
  await watched.reserve('3', [hold('spend/global-usd-month', { amount: 5 })]);
  expect(await shown()).toEqual({ 'spend/principal-tokens-day': 0.9, 'spend/global-usd-month': 0.5 });
  // Without a new reservation.
  expect(await shown()).toEqual({ 'spend/principal-tokens-day': 0.9, 'spend/global-usd-month': 0.5 });
});

it('forgets a counter whose period has ended', async () => {
  await watched.reserve('1', [hold('a/day', { amount: 9, expires_at: Date.now() + 60_000 })]);
  expect(await shown()).toEqual({ 'a/day': 0.9 });
  now = Date.now() + 60_001;
  expect(await shown()).toEqual({});
});

it('shows nothing while the counters cannot be read, and reads them again', async () => {
  await watched.reserve('1', [hold('a/day', { amount: 9 })]);
  const { read } = counters;
  counters.read = away;
  expect(await shown()).toEqual({});
  counters.read = read;
  expect(await shown()).toEqual({ 'a/day': 0.9 });
});

it('leaves out counters without a label, and limits the number of names', async () => {
  await watched.reserve('1', [{ key: 'x', amount: 1, limit: 2, expires_at: Number.MAX_SAFE_INTEGER }]);
  for (let i = 0; i < 150; i++) await watched.reserve(`${i}`, [hold(`a/${i}`)]);
  const names = Object.keys(await shown());
  expect(names).toHaveLength(101);
  expect(names).toContain('other');
});
