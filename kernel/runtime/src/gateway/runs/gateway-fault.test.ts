import { SvcError } from '@svc/contracts';
import { CHAT } from '@svc/protocols';
import { expect, it } from 'vitest';
import { ALLOW, answerOf, guardOf, nodeOf, providerOf, routeOf } from '../../test-parts.ts';
import { troubledScene } from './test-scene.ts';

it.each([
  ['an error', new TypeError('x')],
  ['an error for callers', new SvcError('SVC-REQ-001', 'x')],
])('the gateway that fails with %s after the model was paid ends the run, and asks no fallback', async (_what, thrown) => {
  let calls = 0;
  const instance = providerOf(async () => {
    calls += 1;
    return { completion: answerOf('answer'), unsupported: [] };
  });
  const endpoints = routeOf().endpoints.flatMap((endpoint) =>
    ['first', 'second'].map((provider) => ({ ...endpoint, provider, instance })),
  );
  const egress = [
    nodeOf(
      'allows',
      guardOf(() => ALLOW),
    ),
  ];
  const route = routeOf({ endpoints, egress });
  const protocol = {
    ...CHAT,
    checkable: () => {
      throw thrown;
    },
  };
  const outcome = await troubledScene().start('hello', { route, protocol });
  expect(calls).toBe(1);
  expect(outcome).toMatchObject({ row: { status: 'error' }, error: { code: 'SVC-INT-001' }, paid: true, cost: 'complete' });
  const { data } = outcome.events.find(({ event_type }) => event_type === 'provider_call') ?? {};
  expect(data).toMatchObject({ provider: 'first', outcome: 'cut', usage: { input_tokens: 3, output_tokens: 2 } });
});
