import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { answer, broken, failure, held, startUpstream, UPSTREAM_MARKER, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

let first: Upstream;
let second: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  [first, second] = [await startUpstream(), await startUpstream()];
  const provider = (url: string) => ({ type: 'openai', base_url: url, timeout_ms: 500 });
  const route = { provider: 'first', model: 'big', pipeline: { ingress: [], egress: ['mask'] } };
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      providers: { first: provider(first.url), second: provider(second.url) },
      routes: {
        chained: { ...route, fallbacks: [{ provider: 'second', model: 'small' }] },
      },
    }),
  });
});
afterAll(async () => {
  await gateway.dispose();
  await Promise.all([first.close(), second.close()]);
});
const chat = () => gateway.chat('hello', { model: 'chained' });

async function calls(run_id: string | null): Promise<JsonObject[]> {
  const { events } = (await gateway.get(`/v1/runs/${run_id}`)).body;
  return events
    .filter(({ event_type }: JsonObject) => event_type === 'provider_call')
    .map(({ data }: { data: JsonObject }) => data);
}

it('an invalid request is 400, without a fallback', async () => {
  first.respond(failure(400));
  const { status, text } = await chat();
  expect(status).toBe(400);
  expect(text).not.toContain(UPSTREAM_MARKER);
  expect(second.requests).toHaveLength(0);
});

it.each([
  ['429', () => [failure(429)], 'rate_limited'],
  ['500', () => [failure(500)], 'unavailable'],
  // The second is of the new connection in place of the one that was reused.
  ['a broken connection', () => [broken(), broken()], 'unavailable'],
  ['a time-out', () => [held(answer('late')).behaviour], 'timeout'],
])('after %s the fallback is called, with its own model, and both are recorded', async (_what, behaviours, outcome) => {
  expect((await chat()).status).toBe(200);
  first.respond(...behaviours());
  second.respond(answer('from the second'));
  const { status, body, headers } = await chat();
  expect(status).toBe(200);
  expect(body).toMatchObject({ model: 'chained', choices: [{ message: { content: 'from the second' } }] });
  expect(second.requests.at(-1)?.body).toMatchObject({ model: 'small' });
  expect(await calls(headers.get('x-svc-run-id'))).toMatchObject([
    { provider: 'first', model: 'big', attempt: 1, outcome },
    { provider: 'second', model: 'small', attempt: 2, outcome: 'answered' },
  ]);
});
