import type { JsonObject } from '@svc/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { type Answer, TestGateway } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';
import { decide, pausedRun, pausingConfig, reconfigure } from './pausing-gateway.ts';

let upstream: Upstream;
let gateway: TestGateway;
beforeEach(async () => {
  upstream = await startUpstream();
  const approvals = { max_paused: 5, max_paused_per_principal: 3 };
  const principals = [
    ...['alice', 'bob', 'carol'].map((principal_id) => ({ principal_id })),
    { principal_id: 'ada', roles: ['admin'] },
  ];
  gateway = await TestGateway.start({ here: true, config: pausingConfig(upstream.url, { approvals }), principals });
});
afterEach(async () => {
  await gateway.dispose();
  await upstream.close();
});

const TOO_MANY = { status: 429, body: { code: 'SVC-RATE-001' } };
const many = (n: number, ask: () => Promise<Answer>) => Promise.all(Array.from({ length: n }, ask));
const create = (content: string, more: object = {}) =>
  gateway.post('/v1/runs', { messages: [{ role: 'user', content }], ...more });
const runCount = async (): Promise<number> => (await gateway.get('/v1/audit?limit=1000')).body.runs.length;
const paused = async (): Promise<number> => (await gateway.get('/v1/audit?status=paused')).body.runs.length;
const failed = async (): Promise<unknown[]> => (await gateway.get('/v1/audit?status=error')).body.runs;
const keyed = (key: string, content: string) =>
  gateway.request('POST', '/v1/runs', {
    principal: 'alice',
    body: { messages: [{ role: 'user', content }] },
    headers: { 'idempotency-key': key },
  });
const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status).toSorted();

const ONE = { max_paused: 5, max_paused_per_principal: 1 };

async function restart(
  approvals: JsonObject,
  changes: { routes?: JsonObject; packs?: JsonObject } & JsonObject = {},
): Promise<void> {
  await gateway.stop();
  await reconfigure(gateway, pausingConfig(upstream.url, { approvals, ...changes }));
  await gateway.launch();
}

/** A try that is refused leaves nothing: no run, no record, no call of the model. */
async function expectNoRun(ask: () => Promise<Answer>): Promise<void> {
  const before = [await runCount(), (await gateway.ledger()).length, upstream.requests.length];
  const refused = await ask();
  expect(refused).toMatchObject(TOO_MANY);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(refused.headers.get('x-svc-run-id')).toBeNull();
  expect([await runCount(), (await gateway.ledger()).length, upstream.requests.length]).toEqual(before);
}

it('of many concurrent pauses, as many are admitted as fit; the others get 429 and reach no model', async () => {
  const alices = await many(10, () => gateway.chat('wire'));
  expect(statuses(alices)).toEqual([200, 200, 200, ...Array(7).fill(429)]);
  const refused = alices.find(({ status }) => status === 429);
  expect(refused).toMatchObject(TOO_MANY);
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(refused?.headers.get('x-should-retry')).toBeNull();
  // What needs no approval goes on.
  expect((await gateway.chat('hello')).status).toBe(200);
  const bobs = await many(4, () => gateway.chat('wire', { principal: 'bob' }));
  expect(statuses(bobs)).toEqual([200, 200, 429, 429]);
  await expectNoRun(() => gateway.chat('wire', { principal: 'carol' }));
  expect(await paused()).toBe(5);
  expect(upstream.requests).toHaveLength(1);
  expect(await failed()).toEqual([]);
});

it('applies to runs, also in the background and across a restart; a decision makes room', async () => {
  const [first = ''] = [
    await pausedRun(gateway, 'wire 1'),
    await pausedRun(gateway, 'wire 2'),
    await pausedRun(gateway, 'wire 3'),
  ];
  await gateway.stop();
  await gateway.launch();
  await expectNoRun(() => create('wire'));
  await expectNoRun(() => create('wire', { background: true }));
  expect((await decide(gateway, first, 'denied')).status).toBe(200);
  await pausedRun(gateway, 'wire');
  expect(await create('wire')).toMatchObject(TOO_MANY);
});

it('an answer that would pause without room is discarded, and the error says that the model was paid', async () => {
  for (let n = 0; n < 3; n += 1) await pausedRun(gateway, 'wire');
  for (const more of [{}, { stream: true }]) {
    const refused = await gateway.chat('a leak', more);
    expect(refused).toMatchObject(TOO_MANY);
    expect(refused.headers.get('x-should-retry')).toBe('false');
    expect(refused.text).not.toContain('upstream');
    const run_id = refused.headers.get('x-svc-run-id');
    expect((await gateway.get(`/v1/runs/${run_id}/response`)).body).toMatchObject({ status: 'error', completion: null });
  }
  expect(await paused()).toBe(3);
});

it('an approved run keeps its place if another guard pauses it again', async () => {
  const run_id = await pausedRun(gateway, 'wire offshore');
  await pausedRun(gateway, 'wire');
  await pausedRun(gateway, 'wire');
  expect(await create('wire')).toMatchObject(TOO_MANY);
  expect((await decide(gateway, run_id, 'approved')).body.status).toBe('paused');
  expect((await decide(gateway, run_id, 'approved')).body.status).toBe('completed');
});

describe('if no room is left', () => {
  const fill = async (): Promise<void> => {
    for (let n = 0; n < 3; n += 1) await pausedRun(gateway, 'wire');
  };

  it.each([
    ['a chat', () => gateway.chat('wire')],
    ['a stream', () => gateway.chat('wire', { stream: true })],
    ['a word that another guard masks first', () => gateway.chat('ACC-1 wire')],
    ['a run', () => create('wire')],
  ])('%s is refused every time before a run is created', async (_, ask) => {
    await fill();
    for (let n = 0; n < 5; n += 1) await expectNoRun(ask);
  });

  it("requests without a pause continue, with the guards' edits", async () => {
    await fill();
    expect((await gateway.chat('ACC-1 and CUS-1')).status).toBe(200);
    expect(upstream.requests).toMatchObject([{ body: { messages: [{ role: 'user', content: '<ACCOUNT> and <CUSTOMER>' }] } }]);
  });

  it('a request with an idempotency key is bound to no run, and has one once there is room', async () => {
    const { run_id } = (await keyed('k-1', 'wire')).body;
    await pausedRun(gateway, 'wire 2');
    await pausedRun(gateway, 'wire 3');
    await expectNoRun(() => keyed('k-2', 'wire'));
    await expectNoRun(() => keyed('k-2', 'wire'));
    // A repetition finds its run, which has one of the places.
    expect((await keyed('k-1', 'wire')).body).toMatchObject({ run_id, status: 'paused' });
    await decide(gateway, run_id, 'denied');
    expect((await keyed('k-2', 'wire')).body).toMatchObject({ status: 'paused' });
  });

  it('a repetition of a request that was just approved continues', async () => {
    await restart({ reuse_for: '10m', max_paused: 5, max_paused_per_principal: 3 });
    const run_id = (await gateway.chat('wire')).headers.get('x-svc-run-id') ?? '';
    expect((await decide(gateway, run_id, 'approved')).body.status).toBe('completed');
    for (const content of ['wire 1', 'wire 2', 'wire 3']) await pausedRun(gateway, content);
    await expectNoRun(() => gateway.chat('wire 4'));
    expect((await gateway.chat('wire')).body.choices[0].finish_reason).toBe('stop');
    await expectNoRun(() => gateway.chat('wire'));
  });
});

describe('of 60 concurrent requests', () => {
  const id = { n: 0 };
  it.each<[string, () => Promise<Answer>]>([
    ['chats', () => gateway.chat('wire')],
    ['streams', () => gateway.chat('wire', { stream: true })],
    ['texts that another guard masks first', () => gateway.chat('ACC-1 wire')],
    ['runs', () => create('wire')],
    ['runs in the background', () => create('wire', { background: true })],
    ['runs with keys', () => keyed(`burst-${++id.n}`, 'wire')],
  ])('as many pause as there is room for, and the others leave nothing: %s', async (_, ask) => {
    const answers = await many(60, ask);
    expect(statuses(answers)).toEqual([200, 200, 200, ...Array(57).fill(429)]);
    await until(async () => (await paused()) === 3);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.map(({ headers }) => headers.get('x-svc-run-id'))).toEqual(refused.map(() => null));
    expect([await runCount(), await failed(), upstream.requests.length]).toEqual([3, [], 0]);
  });

  it('each of two principals has its own places', async () => {
    await restart({ max_paused: 5, max_paused_per_principal: 2 });
    const answers = await Promise.all([
      many(40, () => gateway.chat('wire')),
      many(20, () => gateway.chat('wire', { principal: 'bob' })),
    ]);
    expect(answers.map((of) => of.filter(({ status }) => status === 200).length)).toEqual([2, 2]);
    expect([await runCount(), await failed()]).toEqual([4, []]);
  });

  it('all that do not pause continue', async () => {
    const answers = await many(57, () => gateway.chat('hello'));
    const pausing = await many(3, () => gateway.chat('wire'));
    expect(statuses([...answers, ...pausing])).toEqual(Array(60).fill(200));
    expect(upstream.requests).toHaveLength(57);
  });
});

it('a guard that pauses before the call of a model, and text that was retrieved, are refused in the same way', async () => {
  const where = { type: 'residency', allowed_regions: ['us'], require_approval: true };
  const docs = { type: 'rag', namespace: 'handbook' };
  const of = (...ingress: string[]) => ({ provider: 'upstream', model: 'm-1', pipeline: { ingress, egress: [] } });
  const rag = { vectors: { type: 'local' }, embedder: { type: 'local' } };
  await restart(ONE, { packs: { where, docs }, routes: { abroad: of('where'), asked: of('docs', 'wire') }, rag });
  await gateway.post('/v1/rag/index', { namespace: 'handbook', documents: [{ text: 'Holidays are paid by wire.' }] });
  await gateway.chat('wire', { principal: 'bob' });
  await expectNoRun(() => gateway.chat('hello', { model: 'abroad', principal: 'bob' }));
  await expectNoRun(() => gateway.chat('holidays?', { model: 'asked', principal: 'bob' }));
  for (const [model, content] of [
    ['abroad', 'hello'],
    ['asked', 'holidays?'],
  ] as const) {
    const answers = await many(20, () => gateway.chat(content, { model }));
    expect(statuses(answers)).toEqual([200, ...Array(19).fill(429)]);
    const { run_id } = (await gateway.get('/v1/audit?status=paused&principal=alice')).body.runs[0];
    expect((await decide(gateway, run_id, 'denied')).status).toBe(200);
  }
  expect(await failed()).toEqual([]);
  expect(upstream.requests).toEqual([]);
});

it('if endpoints decide whether a run pauses, the check in advance covers all of them', async () => {
  const where = { type: 'residency', allowed_regions: ['eu'], require_approval: true };
  const providers = {
    upstream: { type: 'openai', base_url: upstream.url, region: 'eu' },
    abroad: { type: 'openai', base_url: upstream.url, region: 'us' },
    farther: { type: 'openai', base_url: upstream.url, region: 'cn' },
  };
  const among = (...names: string[]) => ({
    endpoints: names.map((provider) => ({ provider, model: 'm-1' })),
    pipeline: { ingress: ['where'], egress: [] },
  });
  const routes = { shared: among('upstream', 'abroad'), elsewhere: among('abroad', 'farther') };
  await restart(ONE, { packs: { where }, providers, routes });
  await gateway.chat('wire');
  for (const [model, status] of [
    ['shared', 200],
    ['elsewhere', 429],
  ] as const) {
    const answers = await many(20, () => gateway.chat('hello', { model }));
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([status]));
  }
  expect(await failed()).toEqual([]);
});

it('a route with its own rule that pauses, and one where an operator requires approval, refuse in the same way', async () => {
  const asks = { principal: 'ada', body: { state: 'approval_required' } };
  expect((await gateway.request('PUT', '/v1/operations/states/route/default', asks)).status).toBe(200);
  const unread = { provider: 'upstream', model: 'm-1', unscannable: 'require_approval', pipeline: { ingress: [], egress: [] } };
  await restart(ONE, { routes: { unread } });
  const image = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }];
  for (const ask of [() => gateway.chat(image, { model: 'unread' }), () => gateway.chat('hello', { principal: 'bob' })]) {
    expect((await ask()).body.choices[0].finish_reason).toBe('content_filter');
    await expectNoRun(ask);
  }
  expect((await gateway.chat('hello', { model: 'unread' })).body.choices[0].finish_reason).toBe('stop');
});

it('a refused request neither spends nor reserves a budget before it', async () => {
  const packs = { allowance: { type: 'budget', limits: [{ scope: 'principal', unit: 'requests', amount: 3, period: 'day' }] } };
  const budget = { provider: 'upstream', model: 'm-1', pipeline: { ingress: ['allowance', 'wire'], egress: ['allowance'] } };
  await restart(ONE, { packs, routes: { budget } });
  await gateway.chat('wire', { model: 'budget' });
  for (let n = 0; n < 5; n += 1) await expectNoRun(() => gateway.chat('wire', { model: 'budget' }));
  // Of three, one is held by the paused run.
  for (const reason of ['stop', 'stop', 'content_filter'])
    expect((await gateway.chat('hello', { model: 'budget' })).body.choices[0].finish_reason).toBe(reason);
});
