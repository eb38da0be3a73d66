import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answer, completionOf, failure, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { readStream } from '../harness/stream-reader.ts';

/** Of a million and one runs, one begins at the endpoint of weight 1. */
const first = (provider: string, model = 'm'): JsonObject => ({ provider, model, weight: 1_000_000 });
const then = (provider: string, model = 'm'): JsonObject => ({ provider, model, weight: 1 });

let eu: Upstream;
let us: Upstream;
/** Answers 503, always. */
let down: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  [eu, us, down] = [await startUpstream(), await startUpstream(), await startUpstream(failure(503))];
  const openai = ({ url }: Upstream, region: string) => ({ type: 'openai', base_url: url, region });
  const within = (pack: string, endpoints: JsonObject[], more: JsonObject = {}) => ({
    endpoints,
    pipeline: { ingress: [pack], egress: [] },
    ...more,
  });
  const paid = (pack: string, endpoints: JsonObject[], more: JsonObject = {}) => ({
    endpoints,
    pipeline: { ingress: [pack], egress: [pack] },
    ...more,
  });
  const limit = (unit: string, amount: number) => ({ scope: 'route', unit, amount, period: 'month' });
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      providers: {
        eu: openai(eu, 'eu'),
        us: openai(us, 'us'),
        downEu: openai(down, 'eu'),
        downUs: openai(down, 'us'),
      },
      packs: {
        inEu: { type: 'residency', allowed_regions: ['eu'] },
        ask: { type: 'residency', allowed_regions: ['eu'], require_approval: true },
        tokens: { type: 'budget', limits: [limit('tokens', 10_000)] },
        dollars: {
          type: 'budget',
          limits: [limit('usd', 1)],
          prices: { dear: { input: 100, output: 200 }, cheap: { input: 1, output: 2 } },
        },
      },
      routes: {
        shared: within('inEu', [then('eu'), then('us')]),
        passing: within('inEu', [first('downEu', 'passing'), then('us')], { fallbacks: [{ provider: 'eu', model: 'm' }] }),
        only: within('inEu', [first('downEu', 'only'), then('us')]),
        repeated: within('inEu', [first('eu'), then('us')], { retries: 2 }),
        fallback: within('inEu', [first('us')], { fallbacks: [{ provider: 'eu', model: 'm' }] }),
        nowhere: within('inEu', [first('us'), then('downUs')]),
        asked: within('ask', [first('us'), then('downUs')]),
        allowed: within('ask', [first('us'), then('eu')]),
        askedAgain: within('ask', [first('downUs', 'again'), then('us')]),
        paid: paid('tokens', [first('downEu', 'paid'), then('eu')]),
        retried: paid('tokens', [first('eu'), then('us')], { retries: 2 }),
        unpaid: paid('tokens', [first('downEu', 'unpaid'), then('downUs', 'unpaid')]),
        priced: paid('dollars', [first('downEu', 'dear'), then('eu', 'cheap')]),
      },
    }),
  });
});
afterAll(async () => {
  await gateway.dispose();
  for (const upstream of [eu, us, down]) await upstream.close();
});
let before = 0;
beforeEach(() => {
  before = us.requests.length;
});
const callsToUs = (): number => us.requests.length - before;

interface Event {
  event_type: string;
  stage: string;
  data: JsonObject;
}

async function readRun(run_id: string) {
  const run = (await gateway.get(`/v1/runs/${run_id}`)).body;
  const events: Event[] = run.events.filter(({ stage }: Event) => stage === 'execute');
  return {
    run_id,
    status: run.status as string,
    /** What the guard said of each endpoint. */
    said: events
      .filter(({ event_type }) => event_type === 'verdict')
      .map(({ data }) => [(data.endpoint as JsonObject).provider, data.verdict]),
    calls: events
      .filter(({ event_type }) => event_type === 'provider_call')
      .map(({ data }) => [data.attempt, data.provider, data.outcome]),
  };
}

async function ask(model: string, stream = false) {
  const run_id = stream
    ? (await readStream(gateway, 'hello', { model })).run_id
    : ((await gateway.chat('hello', { model })).headers.get('x-svc-run-id') ?? '');
  return readRun(run_id);
}

describe.each([false, true])('residency and endpoints that share runs (stream: %s)', (stream) => {
  it('a run that would go to an endpoint elsewhere goes to the one that is allowed', async () => {
    const seen = new Set<number>();
    for (let asked = 0; seen.size < 2 && asked < 64; asked += 1) {
      const { status, said, calls } = await ask('shared', stream);
      seen.add(said.length);
      expect([status, calls]).toEqual(['completed', [[1, 'eu', 'answered']]]);
      expect(said).toEqual(
        said.length === 1
          ? [['eu', 'allow']]
          : [
              ['us', 'block'],
              ['eu', 'allow'],
            ],
      );
    }
    expect([...seen].toSorted()).toEqual([1, 2]);
    expect(callsToUs()).toBe(0);
  });

  it('a fallback that is allowed takes the run', async () => {
    const { status, calls } = await ask('fallback', stream);
    expect([status, calls]).toEqual(['completed', [[1, 'eu', 'answered']]]);
  });

  it('a run that is allowed nowhere is blocked, and none is called', async () => {
    const { status, said, calls } = await ask('nowhere', stream);
    expect([status, said, calls]).toEqual([
      'blocked',
      [
        ['us', 'block'],
        ['downUs', 'block'],
      ],
      [],
    ]);
    expect(callsToUs()).toBe(0);
  });

  it('after a failure an endpoint elsewhere is skipped for the next one', async () => {
    expect(await ask('passing', stream)).toMatchObject({
      status: 'completed',
      said: [
        ['downEu', 'allow'],
        ['us', 'block'],
        ['eu', 'allow'],
      ],
      calls: [
        [1, 'downEu', 'unavailable'],
        [2, 'eu', 'answered'],
      ],
    });
    expect(callsToUs()).toBe(0);
  });

  it('is checked once for a call that is repeated', async () => {
    eu.respond(failure(429, { 'retry-after-ms': '1' }));
    expect(await ask('repeated', stream)).toMatchObject({
      status: 'completed',
      said: [['eu', 'allow']],
      calls: [
        [1, 'eu', 'rate_limited'],
        [2, 'eu', 'answered'],
      ],
    });
  });
});

describe('residency and an open circuit', () => {
  it('an endpoint elsewhere is not used instead: the failing one is tried again', async () => {
    for (let asked = 0; asked < 5; asked += 1) expect((await ask('only')).calls).toEqual([[1, 'downEu', 'unavailable']]);
    expect(await ask('only')).toMatchObject({
      status: 'error',
      said: [
        ['downEu', 'allow'],
        ['us', 'block'],
        ['downEu', 'allow'],
      ],
      calls: [
        [1, 'downEu', 'skipped'],
        [2, 'downEu', 'unavailable'],
      ],
    });
    expect(callsToUs()).toBe(0);
  });

  it('an approval applies to its endpoint, and stays valid when that is tried again', async () => {
    const pausedRun = async (): Promise<string> => {
      const { run_id, status, said } = await ask('askedAgain');
      const asked = ['downUs', 'us'].map((provider) => [provider, 'require_approval']);
      expect([status, said]).toEqual(['paused', asked]);
      return run_id;
    };
    const approved = async (run_id: string) => {
      await gateway.post(`/v1/runs/${run_id}/resume`, { decision: 'approved' }, 'bob');
      return readRun(run_id);
    };
    for (let asked = 0; asked < 5; asked += 1)
      expect((await approved(await pausedRun())).calls).toEqual([[1, 'downUs', 'unavailable']]);
    expect((await approved(await pausedRun())).calls).toEqual([
      [1, 'downUs', 'skipped'],
      [2, 'downUs', 'unavailable'],
    ]);
    expect(callsToUs()).toBe(0);
  });
});

it('a run with an allowed endpoint waits for no approval', async () => {
  expect(await ask('allowed')).toMatchObject({ status: 'completed', calls: [[1, 'eu', 'answered']] });
  expect(callsToUs()).toBe(0);
});

it('a run that needs an approval for every endpoint waits for one, for the first endpoint', async () => {
  const { run_id, status, calls } = await ask('asked');
  expect([status, calls]).toEqual(['paused', []]);
  await gateway.post(`/v1/runs/${run_id}/resume`, { decision: 'approved' }, 'bob');
  expect(await readRun(run_id)).toMatchObject({ status: 'completed', calls: [[1, 'us', 'answered']] });
  expect(callsToUs()).toBe(1);
});

describe('a budget and endpoints that share runs', () => {
  const using = (prompt_tokens: number, completion_tokens: number) =>
    answer({
      ...completionOf({}, 'fine'),
      usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
    });
  /** Asks for so much that the budget can only refuse, and reads what is left. */
  const left = async (model: string): Promise<string | undefined> => {
    const { body } = await gateway.chat('hello', { model, max_tokens: 1_000_000 });
    return /; ([\d.]+ \w+) (?:is|are) left until/.exec(body.choices[0].message.content)?.[1];
  };

  it('books an answered run once, and nothing for the attempts before; a circuit that opens changes nothing', async () => {
    for (let asked = 1; asked <= 6; asked += 1) {
      eu.respond(using(100, 50));
      expect((await ask('paid')).calls).toEqual([
        [1, 'downEu', asked < 6 ? 'unavailable' : 'skipped'],
        [2, 'eu', 'answered'],
      ]);
      expect(await left('paid')).toBe(`${10_000 - asked * 150} tokens`);
    }
  });

  it('of repeated calls, books only the answered one, also streamed', async () => {
    const busy = failure(429, { 'retry-after-ms': '1' });
    for (const [done, stream] of [false, true].entries()) {
      eu.respond(busy, busy, using(100, 50));
      expect((await ask('retried', stream)).calls).toEqual([
        [1, 'eu', 'rate_limited'],
        [2, 'eu', 'rate_limited'],
        [3, 'eu', 'answered'],
      ]);
      expect(await left('retried')).toBe(`${10_000 - (done + 1) * 150} tokens`);
    }
  });

  it('releases everything if no endpoint answers', async () => {
    expect((await ask('unpaid')).calls).toEqual([
      [1, 'downEu', 'unavailable'],
      [2, 'downUs', 'unavailable'],
    ]);
    expect(await left('unpaid')).toBe('10000 tokens');
  });

  it('books at the price of the model that answered', async () => {
    eu.respond(using(100, 10));
    expect((await ask('priced')).status).toBe('completed');
    expect(await left('priced')).toBe('0.99988 USD');
  });
});
