import { afterAll, beforeAll, expect, it } from 'vitest';
import { evidenceOf, PIPELINE, pausingConfig, statusOf } from '../contract/pausing-gateway.ts';
import { evidenceByRun } from '../fault/ledger-of.ts';
import { startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { TestGateway } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';
import { WorkerConnection } from '../harness/worker-connection.ts';

const WORKERS = 2;
const LIMIT = 40;

let upstream: Upstream;
let gateway: TestGateway;
let one: WorkerConnection;
let other: WorkerConnection;
beforeAll(async () => {
  upstream = await startUpstream();
  const limit = { scope: 'global', unit: 'requests', amount: LIMIT, period: 'month' };
  const model = { provider: 'upstream', model: 'm-1' };
  const config = pausingConfig(upstream.url, {
    server: { workers: WORKERS },
    packs: { budget: { type: 'budget', limits: [limit] } },
    routes: {
      limited: { ...model, pipeline: { ingress: ['budget'], egress: ['budget'] } },
      waiting: { ...model, approval_wait_ms: 60_000, pipeline: PIPELINE },
    },
  });
  gateway = await TestGateway.start({ config });
  [one, other] = (await WorkerConnection.toEach(gateway, WORKERS)) as [WorkerConnection, WorkerConnection];
});
afterAll(async () => {
  for (const connection of [one, other]) connection?.close();
  await gateway?.dispose();
  await upstream?.close();
});

const messages = (content: string) => [{ role: 'user', content }];
const askedModel = (content: string) => upstream.requests.filter(({ body }) => JSON.stringify(body).includes(content)).length;

it('many concurrent requests with one idempotency key create one run, whichever worker gets them', async () => {
  const headers = { 'idempotency-key': 'the-same' };
  const body = { messages: messages('only once') };
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      gateway.request('POST', '/v1/runs', { principal: 'alice', headers, body: { ...body } }).then((answer) => ({ n, answer })),
    ),
  );
  expect(answers.map(({ answer }) => answer.status)).toEqual(answers.map(() => 200));
  expect(new Set(answers.map(({ answer }) => answer.body.run_id)).size).toBe(1);
  expect(askedModel('only once')).toBe(1);
  for (const connection of [one, other])
    expect((await connection.request('POST', '/v1/runs', { headers, body: { messages: messages('another') } })).status).toBe(409);
});

it(`of ${2 * LIMIT} concurrent requests at both workers, ${LIMIT} are within the budget`, async () => {
  const asked = upstream.requests.length;
  const chats = Array.from({ length: 2 * LIMIT }, (_, n) =>
    gateway.chat(`limited ${n}`, {
      model: 'limited',
      principal: ['alice', 'bob', 'carol'][n % 3] ?? 'alice',
      stream: n % 4 === 0,
    }),
  );
  const answers = await Promise.all(chats);
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(upstream.requests.length - asked).toBe(LIMIT);
  for (const connection of [one, other]) {
    const body = { model: 'limited', messages: messages('one more') };
    const { body: answer } = await connection.request('POST', '/v1/chat/completions', { body });
    expect(answer.choices[0].finish_reason).toBe('content_filter');
  }
});

it.each(['approved', 'denied'])(
  'a run that paused at one worker is %s at the other, and its caller there has the answer',
  async (decision) => {
    const content = `wire, ${decision}`;
    const paused = await one.request('POST', '/v1/runs', { body: { messages: messages(content) } });
    expect(paused.body.status).toBe('paused');
    const decided = await other.request('POST', `/v1/runs/${paused.body.run_id}/resume`, {
      principal: 'bob',
      body: { decision },
    });
    expect(decided.body.status).toBe(decision === 'approved' ? 'completed' : 'denied');
    expect(await evidenceOf(gateway, paused.body.run_id)).toMatchObject([{ approver: { principal_id: 'bob', decision } }]);

    const asked = one.request('POST', '/v1/chat/completions', { body: { model: 'waiting', messages: messages(content) } });
    const waiting = async () =>
      (await other.request('GET', '/v1/audit?status=paused')).body.runs.filter(
        ({ route }: { route: string }) => route === 'waiting',
      );
    await until(async () => (await waiting()).length === 1);
    const [{ run_id }] = await waiting();
    await other.request('POST', `/v1/runs/${run_id}/resume`, { principal: 'bob', body: { decision } });
    const { body } = await asked;
    expect(body.choices[0].finish_reason).toBe(decision === 'approved' ? 'stop' : 'content_filter');
    expect(await statusOf(gateway, run_id)).toBe(decision === 'approved' ? 'completed' : 'denied');
  },
);

it('one of several concurrent decisions at both workers counts', async () => {
  const { body } = await one.request('POST', '/v1/runs', { body: { messages: messages('wire, decided by two') } });
  const decide = (connection: WorkerConnection, principal: string, decision: string) =>
    connection.request('POST', `/v1/runs/${body.run_id}/resume`, { principal, body: { decision } });
  const answers = await Promise.all([decide(one, 'bob', 'approved'), decide(other, 'carol', 'denied')]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  expect(await evidenceOf(gateway, body.run_id)).toHaveLength(1);
});

it('content that one worker erases is gone at the other', async () => {
  const headers = { 'idempotency-key': 'erased' };
  const { body } = await one.request('POST', '/v1/runs', { headers, body: { messages: messages('to be erased') } });
  expect(body.status).toBe('completed');
  const read = async () => (await other.request('GET', `/v1/runs/${body.run_id}`)).body;
  expect((await read()).response).not.toBe('');
  expect((await one.request('DELETE', `/v1/runs/${body.run_id}/content`)).status).toBe(200);
  expect((await read()).response ?? null).toBeNull();
});

it('all records are one chain, with one evidence record per run', async () => {
  const evidence = await evidenceByRun(gateway);
  expect(evidence.size).toBeGreaterThan(2 * LIMIT);
});
