import { ProviderError, type ProviderErrorKind } from '@svc/contracts';
import { expect, it } from 'vitest';
import { NotCalled } from '../calls/provider-failure.ts';
import { TriedEndpoints } from './tried-endpoints.ts';

const failure = (kind: ProviderErrorKind, status: number) => new ProviderError(kind, { status });
const dead = failure('configuration', 401);
const busy = failure('rate_limited', 429);
const wrong = failure('invalid_request', 400);
const passed = new NotCalled('unavailable');

it.each([
  [[dead, busy], 429],
  [[busy, dead], 429],
  [[busy, passed], 429],
  [[passed, dead], 502],
  [[dead, passed], 502],
  [[busy, wrong], 400],
  [[], 502],
])('after the failures %j, the caller gets %i', (failures, status) => {
  const tried = new TriedEndpoints();
  for (const each of failures) tried.failed(each);
  expect(tried.stop()).toMatchObject({ kind: 'failed', stage: 'execute', error: { status } });
});

it.each([
  [['blocked'], 0],
  [['blocked', 'blocked'], 0],
  [['blocked', 'paused', 'paused'], 1],
  [['paused', 'blocked'], 0],
])('of the refusals %j, the one at index %i stops the run', (kinds, place) => {
  const tried = new TriedEndpoints<{ kind: string; place: number }>();
  const stops = kinds.map((kind, index) => ({ kind, place: index }));
  expect(stops.map((stop) => tried.mayTryNext(stop))).not.toContain(false);
  expect(tried.stop()).toBe(stops[place]);
});

it('a run that one endpoint refused and another one failed has failed', () => {
  const tried = new TriedEndpoints();
  tried.mayTryNext({ kind: 'blocked' });
  tried.failed(busy);
  expect(tried.stop()).toMatchObject({ kind: 'failed' });
});

it('a stop that no endpoint caused stops the run', () => {
  const tried = new TriedEndpoints();
  for (const kind of ['disconnected', 'interrupted', 'stopped', 'failed']) expect(tried.mayTryNext({ kind })).toBe(false);
  expect(tried.mayTryNext(null)).toBe(false);
  tried.failed(busy);
  expect(tried.mayTryNext({ kind: 'failed' })).toBe(true);
});
