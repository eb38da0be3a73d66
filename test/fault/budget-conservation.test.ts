import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  answer,
  broken,
  completionOf,
  failure,
  liveStream,
  stalled,
  startUpstream,
  type Upstream,
} from '../fixtures/upstream.ts';
import { type Answer, echoConfig, TestGateway } from '../harness/gateway.ts';
import { StreamReader } from '../harness/stream-reader.ts';
import { chunk } from '../harness/stream-scene.ts';

const BUDGET = 1_000_000;
/** Of the text `hello`: 3 for its bytes, 8 around it. */
const INPUT = 11;
const MOST = 500;

let upstream: Upstream;
/** Of the route `later`: what the first was told to answer is used up by nobody. */
let other: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  [upstream, other] = await Promise.all([startUpstream(), startUpstream()]);
  const model = { type: 'openai', base_url: upstream.url, timeout_ms: 60_000 };
  const rule = (name: string, verdict: string): JsonObject => ({ type: 'rules', rules: [{ name, words: [name], verdict }] });
  const route = { provider: 'first', model: 'm-1', pipeline: { ingress: ['budget', 'no', 'wait'], egress: ['leak', 'budget'] } };
  gateway = await TestGateway.start({
    config: echoConfig({
      providers: { first: model, second: model, third: { ...model, base_url: other.url } },
      packs: {
        budget: { type: 'budget', limits: [{ scope: 'global', unit: 'tokens', amount: BUDGET, period: 'month' }] },
        no: rule('no', 'block'),
        wait: rule('wait', 'require_approval'),
        leak: rule('leak', 'block'),
      },
      routes: {
        default: route,
        later: { ...route, provider: 'third' },
        fallback: { ...route, fallbacks: [{ provider: 'second', model: 'm-2' }] },
      },
    }),
  });
});
afterAll(async () => {
  await gateway.dispose();
  await Promise.all([upstream.close(), other.close()]);
});

const chat = (content: string, more: JsonObject = {}) => gateway.chat(content, { max_tokens: MOST, ...more });
async function left(): Promise<number> {
  const { body }: Answer = await chat('hello', { max_tokens: 10 * BUDGET });
  return Number(/; (\d+) tokens are left/.exec(body.choices[0].message.content)?.[1]);
}
/** Tokens that the ledger has for all runs that ended. */
async function told(): Promise<number> {
  const calls = (await gateway.ledger())
    .flatMap(
      ({ events }) =>
        (events ?? []) as { event_type: string; data: { usage?: { input_tokens: number; output_tokens: number } } }[],
    )
    .filter(({ event_type }) => event_type === 'provider_call');
  return calls.reduce((sum, { data: { usage } }) => sum + (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0), 0);
}

it('the rest is the budget minus the spend in the ledger, however runs start and end', async () => {
  const using = (tokens: number) =>
    answer({ ...completionOf({}, 'fine'), usage: { prompt_tokens: tokens, completion_tokens: 1, total_tokens: tokens + 1 } });
  const kinds = [
    () => using(7),
    () => failure(503),
    () => answer(completionOf({}, 'a leak')),
    () => failure(400),
    () => using(90),
    () => failure(429),
  ];
  upstream.respond(...Array.from({ length: 120 }, (_, i) => (kinds[i % kinds.length] ?? stalled)()));
  const texts = ['hello', 'no', 'hello', 'wait', 'hello'];
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, i) =>
      chat(texts[i % texts.length] ?? 'hello', {
        model: i % 3 === 0 ? 'fallback' : 'default',
        n: 1 + (i % 2),
        stream: i % 4 === 0,
      }),
    ),
  );
  const paused = (await gateway.get('/v1/audit?status=paused')).body.runs as { run_id: string }[];
  expect(paused).toHaveLength(12);
  await Promise.all(
    paused.map(({ run_id }, i) =>
      gateway.post(`/v1/runs/${run_id}/resume`, { decision: i % 2 === 0 ? 'approved' : 'denied' }, 'bob'),
    ),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 400, 429, 502]));
  expect(await told()).toBeGreaterThan(0);
  expect(await left()).toBe(BUDGET - (await told()));
});

it('the reservations of runs whose cost is unknown are subtracted too', async () => {
  const before = await left();
  // What its caller left was booked by what had come.
  const live = liveStream();
  other.respond(live.behaviour);
  const reading = StreamReader.ask(gateway, 'hello', { model: 'later', max_tokens: MOST });
  await live.send(chunk({ content: 'one two three' }));
  const reader = await reading;
  await reader.next();
  reader.leave();
  await expect.poll(async () => (await gateway.get('/v1/audit?status=running')).body.runs.length, { timeout: 20_000 }).toBe(0);
  expect(await left()).toBe(BUDGET - (await told()));
  expect(await left()).toBeLessThan(before);
  const known = await left();
  other.respond(broken(), ...Array.from({ length: 8 }, () => stalled()));
  expect((await chat('hello', { model: 'later' })).status).toBe(502);
  const asked = other.received(other.requests.length + 8);
  const lost = Array.from({ length: 8 }, (_, i) => chat('hello', { model: 'later', stream: i % 2 === 0 }).catch(() => undefined));
  await asked;
  await gateway.stop('SIGKILL');
  await Promise.all(lost);
  await gateway.launch();
  expect(await left()).toBe(known - 9 * (MOST + INPUT));
});
