import type { JsonObject } from '@svc/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { held, answer as modelAnswer, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { decideOnNext } from '../harness/decide.ts';
import { TestGateway } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';
import {
  decide,
  evidenceOf,
  judgedBy,
  ofType,
  PIPELINE,
  pausedRun,
  pausingConfig,
  reconfigure,
  statusOf,
} from './pausing-gateway.ts';

let upstream: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await TestGateway.start({ here: true, config: pausingConfig(upstream.url) });
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});

const paused = (content: string): Promise<string> => pausedRun(gateway, content);
const read = async (run_id: string) => (await gateway.get(`/v1/runs/${run_id}`)).body;
const pending = async (run_id: string) => (await gateway.get(`/v1/runs/${run_id}/pending`, 'bob')).body;
const all = (['ingress', 'egress'] as const).flatMap((stage) => PIPELINE[stage].map((node) => `${stage} ${node}`));

/** Starts again, with these changes of the configuration; without any it is as it was at first. */
async function restart(
  changes: Parameters<typeof pausingConfig>[1] = {},
  signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM',
): Promise<void> {
  await gateway.stop(signal);
  await reconfigure(gateway, pausingConfig(upstream.url, changes));
  await gateway.launch();
}

/** Only a process of its own can be killed. */
async function putInProcessOfItsOwn(own: boolean): Promise<void> {
  gateway.here = !own;
  await restart();
}

describe.each(['SIGTERM', 'SIGKILL'] as const)('across %s and a restart', (signal) => {
  beforeAll(() => putInProcessOfItsOwn(signal === 'SIGKILL'));
  it('a paused run stays paused, and continues masked, after its node', async () => {
    const run_ids = [await paused('wire ACC-11 for CUS-22'), await paused('a leak of ACC-11')];
    const before = await Promise.all(run_ids.map(pending));
    const asked = upstream.requests.length;
    await restart({}, signal);
    expect(await Promise.all(run_ids.map(pending))).toEqual(before);
    const listed = (await gateway.get('/v1/audit?status=paused')).body.runs.map(({ run_id }: JsonObject) => run_id);
    expect(listed).toEqual(expect.arrayContaining(run_ids));
    const [ingress, egress] = await Promise.all(run_ids.map((run_id) => decide(gateway, run_id, 'approved')));
    expect(ingress?.body).toMatchObject({ status: 'completed', response: 'upstream: wire <ACCOUNT> for <CUSTOMER>' });
    expect(egress?.body).toMatchObject({ status: 'completed', response: 'upstream: a leak of <ACCOUNT>' });
    for (const decided of [ingress, egress]) expect(judgedBy(decided?.body.events)).toEqual(all);
    // Only the one that had not asked the model yet does so now.
    expect(upstream.requests).toHaveLength(asked + 1);
  });

  it('a denied run stays denied, and a stored answer stays stored', async () => {
    const [denied, approved] = [await paused('wire no'), await paused('wire')];
    await decide(gateway, denied, 'denied');
    await decide(gateway, approved, 'approved');
    await restart({}, signal);
    expect(await decide(gateway, denied, 'approved')).toMatchObject({ status: 409, body: { code: 'SVC-RUN-002' } });
    expect((await gateway.get(`/v1/runs/${approved}/response`)).body).toMatchObject({ response: 'upstream: wire' });
  });
});

it('a run that was approved and then lost with its process ends as an error that names the approver', async () => {
  const run_id = await paused('wire');
  const model = held(modelAnswer());
  upstream.respond(model.behaviour);
  const asked = upstream.received(upstream.requests.length + 1);
  const lost = decide(gateway, run_id, 'approved').catch(() => 'no answer');
  await asked;
  await restart({}, 'SIGKILL');
  expect(await lost).toBe('no answer');
  expect(await statusOf(gateway, run_id)).toBe('error');
  expect(await decide(gateway, run_id, 'approved')).toMatchObject({ status: 409, body: { code: 'SVC-RUN-002' } });
  const evidence = await evidenceOf(gateway, run_id);
  expect(evidence).toMatchObject([{ status: 'error', approver: { principal_id: 'bob', decision: 'approved' } }]);
  expect(ofType((await read(run_id)).events, 'interrupted')).toHaveLength(1);
});

describe('when the route changed meanwhile', () => {
  beforeAll(() => putInProcessOfItsOwn(false));
  afterEach(() => restart());

  const rules = (name: string, verdict: string, match: string): JsonObject => ({
    type: 'rules',
    rules: [{ name, match, verdict }],
  });
  const route = (ingress: string[], egress = PIPELINE.egress): JsonObject => ({
    default: { provider: 'upstream', model: 'm-1', pipeline: { ingress, egress } },
  });
  const decision = (events: Parameters<typeof ofType>[0]) => ofType(events, 'decision').at(-1);

  it('a change of another route has no effect: nothing runs twice', async () => {
    const run_id = await paused('wire');
    await restart({ routes: { other: { model: 'm-2', provider: 'upstream' } } });
    const { body } = await decide(gateway, run_id, 'approved');
    expect(judgedBy(body.events)).toEqual(all);
    expect(decision(body.events)?.data.route_digest).toBe(ofType(body.events, 'paused')[0]?.data.route_digest);
  });

  it('the whole stage is checked again; the same node on the same digest counts as approved', async () => {
    const run_id = await paused('wire ACC-1');
    await restart({ packs: { fresh: rules('fresh', 'sanitize', 'QQQ') }, routes: route(['fresh', ...PIPELINE.ingress]) });
    const { body } = await decide(gateway, run_id, 'approved');
    expect(body).toMatchObject({ status: 'completed', response: 'upstream: wire <ACCOUNT>' });
    expect(judgedBy(body.events)).toEqual([
      'ingress account',
      'ingress wire',
      ...['fresh', ...PIPELINE.ingress].map((node) => `ingress ${node}`),
      ...PIPELINE.egress.map((node) => `egress ${node}`),
    ]);
    expect(decision(body.events)?.data.route_digest).not.toBe(ofType(body.events, 'paused')[0]?.data.route_digest);
  });

  it('a node that edits approved content voids the approval: the new payload needs another', async () => {
    const run_id = await paused('wire to Jim');
    const seen = await pending(run_id);
    await restart({ packs: { fresh: rules('fresh', 'sanitize', 'Jim') }, routes: route(['fresh', ...PIPELINE.ingress]) });
    expect((await decide(gateway, run_id, 'approved')).body.status).toBe('paused');
    const now = await pending(run_id);
    expect(now).toMatchObject({ node: 'wire', messages: [{ content: 'wire to <FRESH>' }] });
    expect(now.digest).not.toBe(seen.digest);
    expect((await decide(gateway, run_id, 'approved')).body).toMatchObject({
      status: 'completed',
      response: 'upstream: wire to <FRESH>',
    });
  });

  it('a new node may pause the run again', async () => {
    const run_id = await paused('wire to Jim');
    await restart({ packs: { fresh: rules('fresh', 'require_approval', 'Jim') }, routes: route([...PIPELINE.ingress, 'fresh']) });
    expect((await decide(gateway, run_id, 'approved')).body.status).toBe('paused');
    expect(await pending(run_id)).toMatchObject({ node: 'fresh' });
    const { body } = await decide(gateway, run_id, 'approved', 'carol');
    expect(body).toMatchObject({ status: 'completed' });
    expect(await evidenceOf(gateway, run_id)).toMatchObject([{ approver: { principal_id: 'carol' } }]);
  });

  it('a new node that blocks does so despite the approval', async () => {
    const run_id = await paused('wire to Jim');
    const before = upstream.requests.length;
    await restart({ packs: { fresh: rules('fresh', 'block', 'Jim') }, routes: route([...PIPELINE.ingress, 'fresh']) });
    expect((await decide(gateway, run_id, 'approved')).body).toMatchObject({ status: 'blocked', response: '' });
    expect(upstream.requests).toHaveLength(before);
    expect(await evidenceOf(gateway, run_id)).toMatchObject([{ status: 'blocked', approver: { decision: 'approved' } }]);
  });

  it('a held answer is judged by the new egress, and the model is not called again', async () => {
    const run_id = await paused('a leak to Jim');
    const before = upstream.requests.length;
    await restart({
      packs: { fresh: rules('fresh', 'sanitize', 'Jim') },
      routes: route(PIPELINE.ingress, [...PIPELINE.egress, 'fresh']),
    });
    const { body } = await decide(gateway, run_id, 'approved');
    expect(body).toMatchObject({ status: 'completed', response: 'upstream: a leak to <FRESH>' });
    expect(upstream.requests).toHaveLength(before);
  });

  it('a run can still be denied', async () => {
    const run_id = await paused('wire');
    await restart({ routes: route(['account']) });
    expect((await decide(gateway, run_id, 'denied')).body.status).toBe('denied');
  });

  it('a node that paused it before may now allow it', async () => {
    const run_id = await paused('wire');
    await restart({ routes: route(['account']) });
    expect((await decide(gateway, run_id, 'approved')).body).toMatchObject({ status: 'completed' });
  });
});

it('when the route is gone: 409 SVC-RUN-003, the run stays paused, and continues when the route is back', async () => {
  const run_id = await paused('wire');
  const config = pausingConfig(upstream.url);
  const { default: kept = {} } = config.routes;
  await gateway.stop();
  await reconfigure(gateway, { ...config, routes: { other: kept } });
  await gateway.launch();
  const gone = { status: 409, body: { code: 'SVC-RUN-003' } };
  expect(await decide(gateway, run_id, 'approved')).toMatchObject(gone);
  expect(await decide(gateway, run_id, 'denied')).toMatchObject(gone);
  expect(await gateway.get(`/v1/runs/${run_id}/pending`)).toMatchObject(gone);
  expect(await read(run_id)).toMatchObject({ status: 'paused', route: 'default' });
  await restart();
  expect(await pending(run_id)).toMatchObject({ node: 'wire' });
  expect((await decide(gateway, run_id, 'approved')).body.status).toBe('completed');
});

describe('when a pause has lasted too long', () => {
  const two = { provider: 'upstream', model: 'm-1', pipeline: PIPELINE, approvals: 2, approval_wait_ms: 60_000 };
  beforeAll(() => restart({ approvals: { expire_after: '1s' }, routes: { two } }));
  afterAll(() => restart());

  /** Asks until the server's own clock shows a time; its `date` header is whole seconds, never ahead. */
  async function untilServerTime(time: number): Promise<void> {
    await until(async () => Date.parse((await gateway.get('/v1/health')).headers.get('date') ?? '') >= time);
  }

  it.each(['approved', 'denied'] as const)('%s comes too late: 409, and the run is denied automatically', async (decision) => {
    const run_id = await paused('wire');
    await untilServerTime(Date.parse((await pending(run_id)).since) + 1000);
    expect(await decide(gateway, run_id, decision)).toMatchObject({ status: 409, body: { code: 'SVC-RUN-002' } });
    const { status, events } = await read(run_id);
    expect(status).toBe('denied');
    const [pause] = ofType(events, 'paused');
    expect(ofType(events, 'expired')).toMatchObject([{ stage: 'approval', node: 'wire', data: { digest: pause?.data.digest } }]);
    expect(ofType(events, 'decision')).toEqual([]);
    expect(await evidenceOf(gateway, run_id)).toMatchObject([{ status: 'denied', approver: null }]);
  });

  it('one of two approvals is not enough, and the caller learns that the other did not arrive in time', async () => {
    const answer = gateway.chat('wire partly', { model: 'two' });
    const run_id = await decideOnNext(gateway, 'two', 'approved', 'bob');
    await untilServerTime(Date.parse((await pending(run_id)).since) + 1000);
    expect(await decide(gateway, run_id, 'approved', 'alice')).toMatchObject({ status: 409, body: { code: 'SVC-RUN-002' } });
    expect((await answer).text).toContain('This request was not approved in time: guard \\"wire\\"');
    expect(await evidenceOf(gateway, run_id)).toMatchObject([{ status: 'denied', approver: null }]);
  });

  it('the deadline is announced', async () => {
    const { since, expires_at } = await pending(await paused('wire'));
    const waits_ms = Date.parse(expires_at) - Date.parse(since);
    expect(waits_ms).toBeGreaterThanOrEqual(1000);
    expect(waits_ms).toBeLessThan(2000);
  });

  it('a decision in time is accepted', async () => {
    const run_id = await paused('wire');
    expect((await decide(gateway, run_id, 'approved')).body.status).toBe('completed');
  });

  it('six late decisions deny it once', async () => {
    const run_id = await paused('wire');
    await untilServerTime(Date.parse((await pending(run_id)).since) + 1000);
    const answers = await Promise.all(Array.from({ length: 6 }, () => decide(gateway, run_id, 'approved')));
    expect(answers.map(({ status }) => status)).toEqual([409, 409, 409, 409, 409, 409]);
    expect(await evidenceOf(gateway, run_id)).toHaveLength(1);
  });

  it('a stranger learns nothing and changes nothing', async () => {
    const run_id = await pausedRun(gateway, 'wire', { approvers: ['carol'] });
    const { since } = (await gateway.get(`/v1/runs/${run_id}/pending`, 'carol')).body;
    await untilServerTime(Date.parse(since) + 1000);
    expect(await decide(gateway, run_id, 'approved', 'bob')).toMatchObject({ status: 403, body: { code: 'SVC-AUTH-003' } });
    expect(await statusOf(gateway, run_id)).toBe('paused');
  });
});
