import { expect, it } from 'vitest';
import type { UsageGroup } from '../shared/api-types.ts';
import { MEASURES } from './measures.ts';
import { seriesOf, valuesOf } from './series.ts';

const since = ['2026-03-01T00:00:00.000Z', '2026-03-02T00:00:00.000Z'];

function group(name: string | null, usd: number, p95: number | null = null): UsageGroup {
  const latency_ms = p95 === null ? null : { p50: 1, p95 };
  const sums = {
    requests: 2,
    blocked: 1,
    runs: 1,
    input_tokens: 3,
    output_tokens: 4,
    usd,
    unpriced_runs: 0,
    partial_runs: 0,
    latency_ms,
  };
  return { name, ...sums, intervals: [{ since: since[0] ?? '', ...sums }] };
}

it('gives each of the most expensive groups its own series, and one to all others', () => {
  const groups = Array.from({ length: 9 }, (_, n) => group(n === 8 ? null : `g${n}`, n));
  expect(seriesOf(groups, 'no team').map(({ name }) => name)).toEqual(['no team', 'g7', 'g6', 'g5', 'g4', '4 others']);
  expect(seriesOf(groups.slice(0, 6), 'none')).toHaveLength(6);
});

it.each([
  ['Cost', [7, 0]],
  ['Tokens', [14, 0]],
  ['Blocked requests', [2, 0]],
  ['Latency, 95th percentile', [90, null]],
])('has the values of all its groups: %s', (title, values) => {
  const measure = MEASURES.find((one) => one.title === title);
  if (measure === undefined) throw new Error('no such measure');
  expect(valuesOf({ name: 'all', groups: [group('a', 3, 90), group('b', 4, 20)] }, since, measure)).toEqual(values);
});
