import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { decideOnNext } from '../harness/decide.ts';
import type { TestGateway } from '../harness/gateway.ts';
import { Replicas } from '../harness/replicas.ts';
import { rounds } from './form.ts';
import { evidenceByRun } from './ledger-of.ts';
import { replicaConfig, slowly } from './replica-load.ts';

let upstream: Upstream;
let replicas: Replicas;
let a: TestGateway;
let b: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream(slowly);
  replicas = await Replicas.start(inject('postgres'), replicaConfig(upstream.url), 2);
  const [first, second] = replicas.all;
  if (first === undefined || second === undefined) throw new Error('no replicas');
  [a, b] = [first, second];
});
afterAll(async () => {
  await replicas.dispose();
  await upstream.close();
});

const decide = (gateway: TestGateway, run_id: string, decision: string, principal: string) =>
  gateway.post(`/v1/runs/${run_id}/resume`, { decision }, principal);

it('of two replicas that decide on one run at once, one wins and the other gets 409', { timeout: 120_000 }, async () => {
  for (const round of rounds(20, 500)) {
    const run_id = (await a.chat('a wire transfer')).body.svc_run_id;
    const asked = upstream.requests.length;
    const answers = await Promise.all([
      decide(a, run_id, 'approved', 'bob'),
      decide(b, run_id, round % 2 === 0 ? 'approved' : 'denied', 'carol'),
    ]);
    const winner = answers.find(({ status }) => status === 200);
    const loser = answers.find((answer) => answer !== winner);
    expect(loser?.status).toBe(409);
    expect(loser?.body.code).toBe('SVC-RUN-002');
    const denied = winner?.body.status === 'denied';
    expect(upstream.requests.length - asked).toBe(denied ? 0 : 1);
    const { approver, status } = (await evidenceByRun(b)).get(run_id) ?? {};
    expect(approver?.principal_id).toBe(winner === answers[0] ? 'bob' : 'carol');
    expect(status).toBe(winner?.body.status);
  }
});

it.each([
  ['approved', 'stop'],
  ['denied', 'content_filter'],
] as const)('a caller waiting on one replica gets a run that was %s on another', async (decision, finish_reason) => {
  const chat = a.chat('a wire transfer', { model: 'patient' });
  const run_id = await decideOnNext(b, 'patient', decision);
  const { body, headers } = await chat;
  expect(body.choices[0].finish_reason).toBe(finish_reason);
  expect(headers.get('x-svc-run-id')).toBe(run_id);
  const record = (await evidenceByRun(b)).get(run_id);
  expect(headers.get('x-svc-evidence')).toBe(`${record?.seq} ${record?.hash}`);
  if (decision === 'approved') expect(body.choices[0].message.content).toBe('upstream: a wire transfer');
});

it('with an Idempotency-Key both replicas return the same run', async () => {
  const ask = (gateway: TestGateway, content = 'hello') =>
    gateway.request('POST', '/v1/runs', {
      body: { messages: [{ role: 'user', content }] },
      headers: { 'idempotency-key': 'the-same' },
    });
  const answers = await Promise.all([ask(a), ask(b), ask(a), ask(b)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(new Set(answers.map(({ body }) => body.run_id)).size).toBe(1);
  const unlike = await Promise.all([ask(a, 'good bye'), ask(b, 'good bye')]);
  expect(unlike.map(({ status, body }) => [status, body.code])).toEqual(Array(2).fill([409, 'SVC-RUN-006']));
});
