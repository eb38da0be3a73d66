import { expect, it } from 'vitest';
import { endpointsFor, inOrder } from './order.ts';

const endpoint = (provider: string, weight: number | null) => ({ provider, model: 'm', weight });
const ids = Array.from({ length: 4_000 }, (_, index) => `run-${index}`);

it('distributes runs by weight', () => {
  const endpoints = [endpoint('a', 3), endpoint('b', 1), endpoint('c', null)];
  const firsts = ids.map((id) => inOrder(endpoints, id)[0]?.provider);
  const share = firsts.filter((name) => name === 'a').length / firsts.length;
  // Five standard deviations around 0.75.
  expect(Math.abs(share - 0.75)).toBeLessThan(0.035);
  expect(firsts).not.toContain('c');
});

it('tries the other endpoints with a weight before the fallbacks, which keep their order', () => {
  const endpoints = [endpoint('a', 1), endpoint('b', 0.5), endpoint('c', null), endpoint('d', null)];
  for (const id of ids.slice(0, 50)) {
    const names = inOrder(endpoints, id).map(({ provider }) => provider);
    expect(names.slice(2)).toEqual(['c', 'd']);
    expect(names.toSorted()).toEqual(['a', 'b', 'c', 'd']);
  }
});

it('gives a run the same order each time', () => {
  const endpoints = [endpoint('a', 1), endpoint('b', 1), endpoint('c', 1)];
  for (const id of ids.slice(0, 50)) expect(inOrder(endpoints, id)).toEqual(inOrder(endpoints.toReversed(), id));
});

it('keeps the order of endpoints without weights', () => {
  const endpoints = [endpoint('a', null), endpoint('b', null)];
  expect(inOrder(endpoints, 'run')).toBe(endpoints);
});

it('sends requests for embeddings only to the first endpoint', () => {
  const endpoints = [endpoint('a', 1), endpoint('b', 1), endpoint('c', null)];
  for (const run_id of ids.slice(0, 50))
    expect(endpointsFor({ route: { endpoints }, run_id, embedding: 'block' })).toEqual([endpoint('a', 1)]);
});
