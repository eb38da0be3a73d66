import { ProviderError, type RunEvent } from '@svc/contracts';
import { canonicalJson } from '@svc/ledger';
import { expect, it } from 'vitest';
import { ALLOW, answerOf, guardOf, nodeOf, providerOf, routeOf, timeoutsOf } from '../../test-parts.ts';
import { troubledScene } from './test-scene.ts';

const identity = { issuer: 'https://login.example.com', subject: 'bob' };

/** Evidence with events in another order is valid too, but writing it is ten times slower. */
function assertCanonical(events: readonly RunEvent[], ...types: readonly RunEvent['event_type'][]): void {
  expect(events.map(({ event_type }) => event_type)).toEqual(expect.arrayContaining([...types]));
  expect(JSON.stringify(events)).toBe(canonicalJson(events));
}

it('a verdict on an endpoint, and a call that failed', async () => {
  const hook = { ...guardOf(() => ALLOW), endpoint: () => ({ verdict: 'allow', code: 'region' }) as const };
  const endpointOf = (provider: string, complete: Parameters<typeof providerOf>[0]) => ({
    ...{ provider, model: 'm-1', region: 'eu', weight: null },
    ...{ instance: providerOf(complete), timeouts: timeoutsOf(5000) },
  });
  const failure = new ProviderError('rate_limited', { status: 429, code: 'rate_limit_exceeded', param: 'model' });
  const away = endpointOf('away', () => Promise.reject(failure));
  const well = endpointOf('well', async () => ({ completion: answerOf('answer'), unsupported: ['top_k'] }));
  const route = routeOf({ endpoints: [away, well], ingress: [nodeOf('where', hook)] });
  const { events } = await troubledScene().start('hello', { route });
  expect(events.filter(({ data }) => data.endpoint !== undefined && data.verdict !== undefined)).toHaveLength(2);
  assertCanonical(events, 'verdict', 'provider_call');
});

it.each([[null], [identity]])('a decision of %o', async (identity) => {
  const { start, runs } = troubledScene();
  const { row } = await start('wait');
  const resumed = await runs.resume(row.run_id, 'bob', { decision: 'approved', digest: null, identity });
  assertCanonical(resumed.events, 'paused', 'decision');
  expect(JSON.stringify(resumed.row.approver)).toBe(canonicalJson(resumed.row.approver));
});
