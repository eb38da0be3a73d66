import { afterEach, beforeEach, expect, it } from 'vitest';
import { startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { type Answer, TestGateway } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';
import { decide, evidenceOf, ofType, pausedRun, pausingConfig, statusOf } from './pausing-gateway.ts';

let upstream: Upstream;
let gateway: TestGateway;
beforeEach(async () => {
  upstream = await startUpstream();
  const approvals = { max_paused: 5, max_paused_per_principal: 3 };
  gateway = await TestGateway.start({ here: true, config: pausingConfig(upstream.url, { approvals }) });
});
afterEach(async () => {
  await gateway.dispose();
  await upstream.close();
});

const TOO_MANY = { status: 429, body: { code: 'SVC-RATE-001' } };
const many = (n: number, ask: () => Promise<Answer>) => Promise.all(Array.from({ length: n }, ask));
const create = (content: string, more: object = {}) =>
  gateway.post('/v1/runs', { messages: [{ role: 'user', content }], ...more });
const paused = async (): Promise<number> => (await gateway.get('/v1/audit?status=paused')).body.runs.length;
const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status).toSorted();

it('of many pauses at once so many are let in as there is room; the others are 429 and reach no model', async () => {
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
  expect(await gateway.chat('wire', { principal: 'carol' })).toMatchObject(TOO_MANY);
  expect(await paused()).toBe(5);
  expect(upstream.requests).toHaveLength(1);
  const [evidence] = await evidenceOf(gateway, refused?.headers.get('x-svc-run-id') ?? '');
  expect(evidence).toMatchObject({ status: 'error' });
});

it('holds for runs, whole and in the background, and over a restart; a decision makes room', async () => {
  const [first = ''] = [
    await pausedRun(gateway, 'wire 1'),
    await pausedRun(gateway, 'wire 2'),
    await pausedRun(gateway, 'wire 3'),
  ];
  await gateway.stop();
  await gateway.launch();
  expect(await create('wire')).toMatchObject(TOO_MANY);
  const { run_id } = (await create('wire', { background: true })).body;
  await until(async () => !['pending', 'running'].includes(await statusOf(gateway, run_id)));
  const { body } = await gateway.get(`/v1/runs/${run_id}`);
  expect(body.status).toBe('error');
  expect(ofType(body.events, 'error')).toMatchObject([{ stage: 'ingress', data: { code: 'SVC-RATE-001' } }]);
  expect((await decide(gateway, first, 'denied')).status).toBe(200);
  await pausedRun(gateway, 'wire');
  expect(await create('wire')).toMatchObject(TOO_MANY);
});

it('an answer that was to pause and finds no room is given up, and says that the model was paid', async () => {
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

it('a run that was approved keeps its place where another guard pauses it again', async () => {
  const run_id = await pausedRun(gateway, 'wire offshore');
  await pausedRun(gateway, 'wire');
  await pausedRun(gateway, 'wire');
  expect(await create('wire')).toMatchObject(TOO_MANY);
  expect((await decide(gateway, run_id, 'approved')).body.status).toBe('paused');
  expect((await decide(gateway, run_id, 'approved')).body.status).toBe('completed');
});
