import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { decide, evidenceOf, ofType, pausingConfig, statusOf } from '../contract/pausing-gateway.ts';
import { startUpstream, type Upstream } from '../fixtures/upstream.ts';
import type { Answer, TestGateway } from '../harness/gateway.ts';
import { Replicas } from '../harness/replicas.ts';
import { until } from '../harness/until.ts';

let upstream: Upstream;
let replicas: Replicas;
let one: TestGateway;
let other: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  const waiting = { provider: 'upstream', model: 'm-1', approval_wait_ms: 60_000, pipeline: { ingress: ['wire'], egress: [] } };
  const config = pausingConfig(upstream.url, { routes: { waiting }, approvals: { reuse_for: '10m' } });
  replicas = await Replicas.start(inject('postgres'), config, 1);
  [one] = replicas.all as [TestGateway];
  other = await replicas.addTwin(one);
});
afterAll(async () => {
  await replicas?.dispose();
  await upstream?.close();
});

/** Each test asks about something else, so that none meets the decisions of another. */
let last = 0;
const text = (): string => `wire number ${++last}`;
const each = () => [one, other];
const runOf = ({ headers }: Answer): string => headers.get('x-svc-run-id') ?? '';
const eventOf = ({ body }: Answer): string => body.svc_event ?? 'answered';
const eventsOf = async (run_id: string, type: string) =>
  ofType((await other.get(`/v1/runs/${run_id}`)).body.events, type).map(({ data }) => data);
const listed = async (at: TestGateway) => (await at.get('/v1/audit?status=paused')).body.runs;
/** Asks both, as often, all at once. */
const askBoth = (content: string, times = 1): Promise<Answer[]> =>
  Promise.all(Array.from({ length: times }, () => each().map((gateway) => gateway.chat(content))).flat());
const askedModel = (content: string) => upstream.requests.filter(({ body }) => JSON.stringify(body).includes(content)).length;

it.each([
  ['approved', 'completed'],
  ['denied', 'denied'],
] as const)('paused runs at both replicas are one group, %s by one decision at either', async (decision, status) => {
  const content = text();
  const runs = (await askBoth(content, 5)).map(runOf);
  for (const gateway of each()) {
    const waiting = (await listed(gateway)).filter(({ run_id }: { run_id: string }) => runs.includes(run_id));
    expect(waiting).toHaveLength(10);
    expect(new Set(waiting.map(({ group }: { group: string }) => group)).size).toBe(1);
  }
  // Made at the first replica, and decided at the other one.
  expect((await decide(other, runs[0] ?? '', decision)).body.status).toBe(status);
  for (const run_id of runs) {
    await until(async () => (await statusOf(one, run_id)) === status);
    expect(await evidenceOf(one, run_id)).toMatchObject([{ status, approver: { principal_id: 'bob', decision } }]);
    const together = { run_id: runs[0], runs: 10 };
    expect(await eventsOf(run_id, 'decision')).toMatchObject([{ decision, principal_id: 'bob', together }]);
  }
  expect(askedModel(content)).toBe(decision === 'approved' ? 10 : 0);
});

it('two decisions at once, one at each replica, decide each run once', async () => {
  const runs = (await askBoth(text(), 4)).map(runOf);
  const answers = await Promise.all([
    decide(one, runs[1] ?? '', 'denied', 'bob'),
    decide(other, runs[6] ?? '', 'denied', 'carol'),
  ]);
  expect(answers.some(({ status }) => status === 200)).toBe(true);
  for (const run_id of runs) {
    await until(async () => (await statusOf(one, run_id)) === 'denied');
    expect(await eventsOf(run_id, 'decision')).toHaveLength(1);
    expect(await evidenceOf(one, run_id)).toHaveLength(1);
  }
});

it('a repetition passes once for each approval, at any replica', async () => {
  const content = text();
  for (let round = 0; round < 3; round += 1) {
    const [paused, deciding, asked] = round % 2 === 0 ? [one, one, other] : [other, one, other];
    const run_id = runOf(await paused.chat(content));
    expect((await decide(deciding, run_id, 'approved')).body.status).toBe('completed');
    const again = await asked.chat(content);
    expect(eventOf(again)).toBe('answered');
    expect(await eventsOf(runOf(again), 'reused')).toMatchObject([{ decision: 'approved', principal_id: 'bob', run_id }]);
    const after = (await askBoth(content)).map((answer) => [eventOf(answer), runOf(answer)]);
    expect(after.map(([event]) => event)).toEqual(['paused', 'paused']);
    expect((await decide(other, after[0]?.[1] ?? '', 'denied')).body.status).toBe('denied');
    // The newest decision counts, at both.
    expect((await askBoth(content)).map(eventOf)).toEqual(['denied', 'denied']);
    // A decision is kept for the same question only.
    expect(eventOf(await asked.chat(`${content} now`))).toBe('paused');
    // So that the next round is asked about.
    expect((await one.request('DELETE', `/v1/runs/${after[0]?.[1]}/content`)).status).toBe(200);
  }
});

it('one of two concurrent repetitions at both replicas passes', async () => {
  const content = text();
  await decide(other, runOf(await one.chat(content)), 'approved');
  const answers = await askBoth(content, 8);
  expect(answers.map(eventOf).toSorted()).toEqual(['answered', ...Array(15).fill('paused')]);
  expect(askedModel(content)).toBe(2);
});

it('a denial applies to every repetition at both', async () => {
  const content = text();
  await decide(one, runOf(await one.chat(content)), 'denied');
  const answers = await askBoth(content, 3);
  expect(answers.map(eventOf)).toEqual(answers.map(() => 'denied'));
  expect(new Set(answers.map(runOf)).size).toBe(6);
  expect(askedModel(content)).toBe(0);
});

it('a caller waiting at one replica gets the answer when the decision is made at the other', async () => {
  const content = text();
  const asked = each().map((gateway) => gateway.chat(content, { model: 'waiting' }));
  const waiting = async () => (await listed(one)).filter(({ route }: { route: string }) => route === 'waiting');
  await until(async () => (await waiting()).length === 2);
  const [{ run_id }] = await waiting();
  await decide(other, run_id, 'approved');
  expect((await Promise.all(asked)).map(eventOf)).toEqual(['answered', 'answered']);
});

it('a prompt that a session repeats at the other replica counts as approved', async () => {
  const content = text();
  const first = await one.chat(content);
  await decide(one, runOf(first), 'approved');
  // Behind one name, both are reached at one address.
  const stop = first.body.choices[0].message.content.replaceAll(one.url, other.url);
  const messages = [content, stop, content].map((said, n) => ({ role: n === 1 ? 'assistant' : 'user', content: said }));
  const again = await other.post('/v1/chat/completions', { model: 'default', messages });
  expect(eventOf(again)).toBe('answered');
});
