import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { type Answer, TestGateway } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';
import { decide, evidenceOf, ofType, pausedRun, pausingConfig, reconfigure, statusOf } from './pausing-gateway.ts';

let upstream: Upstream;
let gateway: TestGateway;
const PRINCIPALS = [
  { principal_id: 'alice' },
  { principal_id: 'bob' },
  { principal_id: 'carol' },
  { principal_id: 'root', roles: ['admin', 'audit'] },
];
const route = { provider: 'upstream', model: 'm-1', pipeline: { ingress: ['wire'], egress: [] } };
const pii = { type: 'pii', restore: true };
const masked = { ...route, pipeline: { ingress: ['pii', 'wire'], egress: ['pii'] } };
const config = (more: object = {}) =>
  pausingConfig(upstream.url, {
    packs: { pii: { type: 'pii', restore: true } },
    routes: { other: route, masked },
    approvals: { reuse_for: '10m' },
    ...more,
  });
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await TestGateway.start({ here: true, config: config(), principals: PRINCIPALS });
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});

/** Each test asks about something else, so that none meets the decisions of another. */
let last = 0;
const text = (): string => `wire number ${++last}`;
const eventsOf = async (run_id: string) => (await gateway.get(`/v1/runs/${run_id}`)).body.events;
const ask = (content: string, more: JsonObject = {}): Promise<Answer> => gateway.chat(content, more);
const eventOf = ({ body }: Answer): string => body.svc_event ?? 'answered';
const listed = async () => (await gateway.get('/v1/audit?status=paused')).body.runs;
const reusedIn = async (answer: Answer) => ofType(await eventsOf(answer.headers.get('x-svc-run-id') ?? ''), 'reused');

describe('paused runs of the same request', () => {
  it.each([
    ['approved', 'completed'],
    ['denied', 'denied'],
  ] as const)('are %s by one decision, each with its own event and evidence', async (decision, status) => {
    const content = text();
    const runs = [await pausedRun(gateway, content), await pausedRun(gateway, content), await pausedRun(gateway, content)];
    const [first = '', ...others] = runs;
    const group = (await listed()).filter(({ run_id }: { run_id: string }) => runs.includes(run_id));
    expect(new Set(group.map((run: { group: string }) => run.group)).size).toBe(1);
    expect(group).toHaveLength(3);
    const decided = await decide(gateway, first, decision);
    expect(Object.keys(decided.body).toSorted()).toEqual(['events', 'response', 'run_id', 'status']);
    expect(decided.body.status).toBe(status);
    // No other waits when the answer to the decision is there; those approved may still be under way.
    expect((await listed()).filter(({ run_id }: { run_id: string }) => runs.includes(run_id))).toEqual([]);
    for (const run_id of others) await until(async () => (await statusOf(gateway, run_id)) === status);
    for (const run_id of runs) {
      const [evidence] = await evidenceOf(gateway, run_id);
      expect(evidence).toMatchObject({ status, approver: { principal_id: 'bob', decision } });
      const [event] = ofType(await eventsOf(run_id), 'decision');
      expect(event?.data).toMatchObject({ decision, principal_id: 'bob', together: { run_id: first, runs: 3 } });
    }
  });

  it('are each decided once by two concurrent decisions', async () => {
    const content = text();
    const runs = await Promise.all(Array.from({ length: 8 }, () => pausedRun(gateway, content)));
    const answers = await Promise.all([
      decide(gateway, runs[0] ?? '', 'denied', 'bob'),
      decide(gateway, runs[7] ?? '', 'denied', 'carol'),
    ]);
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    for (const run_id of runs) {
      await until(async () => (await statusOf(gateway, run_id)) === 'denied');
      expect(ofType(await eventsOf(run_id), 'decision')).toHaveLength(1);
      expect(await evidenceOf(gateway, run_id)).toHaveLength(1);
    }
  });

  it.each([
    ['another text', { content: 'wire another' }, 'alice'],
    ['another route', { route: 'other' }, 'alice'],
    ['another principal', {}, 'carol'],
    ['other approvers', { approvers: ['bob', 'carol'] }, 'alice'],
  ])('wait separately if they have %s', async (_, more, principal) => {
    const content = text();
    const run_id = await pausedRun(gateway, content);
    const { content: other = content, ...fields } = more as { content?: string };
    const another = await pausedRun(gateway, other, fields, principal);
    await decide(gateway, run_id, 'denied');
    expect(await statusOf(gateway, another)).toBe('paused');
    await decide(gateway, another, 'denied');
  });
});

describe('a request that repeats a decided one', () => {
  it('passes once for each approval, however many runs it decided, and names the decision', async () => {
    const content = text();
    const first = (await ask(content)).body.svc_run_id;
    await ask(content);
    await decide(gateway, first, 'approved');
    const [evidence] = await evidenceOf(gateway, first);
    const digest = ofType(await eventsOf(first), 'decision')[0]?.data.digest;
    const again = await ask(content);
    expect(eventOf(again)).toBe('answered');
    expect(await reusedIn(again)).toMatchObject([
      {
        stage: 'ingress',
        node: 'wire',
        data: {
          decision: 'approved',
          code: 'wire',
          run_id: first,
          record: { seq: evidence?.seq, hash: evidence?.hash },
          principal_id: 'bob',
          digest,
        },
      },
    ]);
    const run_id = again.headers.get('x-svc-run-id') ?? '';
    expect(await evidenceOf(gateway, run_id)).toMatchObject([{ status: 'completed', approver: { decision: 'approved' } }]);
    expect(eventOf(await ask(content))).toBe('paused');
  });

  it('passes once if many arrive at once', async () => {
    const content = text();
    await decide(gateway, (await ask(content)).body.svc_run_id, 'approved');
    const answers = await Promise.all(Array.from({ length: 12 }, () => ask(content)));
    expect(answers.map(eventOf).toSorted()).toEqual(['answered', ...Array(11).fill('paused')]);
  });

  it('is denied each time, each with a separate run', async () => {
    const content = text();
    await decide(gateway, (await ask(content)).body.svc_run_id, 'denied');
    const ids = new Set<string>();
    for (const more of [{}, { stream: true }, {}]) {
      const answer = await ask(content, more);
      const run_id = answer.headers.get('x-svc-run-id') ?? '';
      ids.add(run_id);
      expect(await statusOf(gateway, run_id)).toBe('denied');
      expect(await evidenceOf(gateway, run_id)).toMatchObject([
        { status: 'denied', approver: { principal_id: 'bob', decision: 'denied' } },
      ]);
    }
    expect(ids.size).toBe(3);
    expect(upstream.requests.filter(({ body }) => JSON.stringify(body).includes(content))).toEqual([]);
  });

  it('is the same if only ids, accounting, sampling and the form of the answer differ', async () => {
    const content = text();
    const fields = { temperature: 0.1, user: 'session-1', client_metadata: { id: '1' }, prompt_cache_key: 'a', max_tokens: 10 };
    await decide(gateway, (await ask(content, fields)).body.svc_run_id, 'approved');
    const others = { temperature: 0.9, user: 'session-2', client_metadata: { id: '2' }, prompt_cache_key: 'b', stream: true };
    const again = await ask(content, others);
    expect(await reusedIn(again)).toHaveLength(1);
    expect(again.text).toContain('[DONE]');
  });

  it.each([
    ['an earlier message', { messages: [{ role: 'system', content: 'to Mallory' }] }],
    ['a tool', { tools: [{ type: 'function', function: { name: 'pay', description: 'Pays at once.' } }] }],
    ['a field that nobody knows', { vendor_mode: 'fast' }],
    ['metadata', { metadata: { note: 'to-mallory' } }],
    ['a sentence in place of an id', { user: 'pay it to Mallory' }],
    ['a sentence beside ids', { client_metadata: { id: '1', note: 'pay it to Mallory' } }],
    [
      'an image',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] }] },
    ],
  ])('is a different request with %s that the approver did not see', async (_, more) => {
    const content = text();
    await decide(gateway, (await ask(content)).body.svc_run_id, 'approved');
    const { messages = [], ...fields } = more as { messages?: object[] };
    const body = { model: 'default', messages: [...messages, { role: 'user', content }], ...fields };
    expect(eventOf(await gateway.post('/v1/chat/completions', body))).toBe('paused');
  });

  it('is different if a placeholder stands for another value', async () => {
    const content = text();
    const at = (address: string) => ask(`${content} to ${address}`, { model: 'masked' });
    const { svc_run_id } = (await at('ann@example.org')).body;
    await decide(gateway, svc_run_id, 'approved');
    expect(eventOf(await at('mallory@example.org'))).toBe('paused');
    expect(eventOf(await at('ann@example.org'))).toBe('answered');
  });

  it('needs an approval for each guard that pauses it', async () => {
    const content = `${text()} offshore`;
    const run_id = (await ask(content)).body.svc_run_id;
    await decide(gateway, run_id, 'approved');
    // The first guard's approval lets the second one ask.
    const again = await ask(content);
    expect(eventOf(again)).toBe('paused');
    expect(await reusedIn(again)).toMatchObject([{ node: 'wire' }]);
    await decide(gateway, run_id, 'denied');
    await until(async () => (await statusOf(gateway, again.body.svc_run_id)) === 'denied');
  });

  it('passes a paused answer too, if the model gives the same answer', async () => {
    const content = `a leak ${++last}`;
    const first = await ask(content);
    await decide(gateway, first.body.svc_run_id, 'approved');
    const [again, third] = [await ask(content), await ask(content)];
    expect([eventOf(again), eventOf(third)]).toEqual(['answered', 'paused']);
    expect(await reusedIn(again)).toMatchObject([{ stage: 'egress', node: 'leak' }]);
  });

  it('by another principal, or on another route, needs an approval', async () => {
    const content = text();
    await decide(gateway, (await ask(content)).body.svc_run_id, 'approved');
    expect(eventOf(await ask(content, { principal: 'carol' }))).toBe('paused');
    expect(eventOf(await ask(content, { model: 'other' }))).toBe('paused');
    expect(eventOf(await ask(content))).toBe('answered');
  });

  it('needs an approval once the decided run was erased or its approver was disabled', async () => {
    const content = text();
    const decided = (await ask(content)).body.svc_run_id;
    await decide(gateway, decided, 'approved');
    await gateway.request('DELETE', `/v1/runs/${decided}/content`, { principal: 'alice' });
    expect(eventOf(await ask(content))).toBe('paused');
    const other = text();
    await decide(gateway, (await ask(other)).body.svc_run_id, 'approved', 'carol');
    const state = (to: string) =>
      gateway.request('PUT', '/v1/operations/states/principal/carol', { principal: 'root', body: { state: to } });
    expect((await state('disabled')).status).toBe(200);
    expect(eventOf(await ask(other))).toBe('paused');
    expect((await state('enabled')).status).toBe(200);
    expect(eventOf(await ask(other))).toBe('answered');
  });

  it('keeps its decision across a restart, but not with another configuration', async () => {
    const [content, other] = [text(), text()];
    for (const one of [content, other]) await decide(gateway, (await ask(one)).body.svc_run_id, 'approved');
    await gateway.stop();
    await gateway.launch();
    expect(eventOf(await ask(content))).toBe('answered');
    await gateway.stop();
    await reconfigure(
      gateway,
      config({ packs: { pii, spare: { type: 'rules', rules: [{ name: 'x', words: ['x'], verdict: 'block' }] } } }),
    );
    await gateway.launch();
    expect(eventOf(await ask(other))).toBe('paused');
  });

  it('needs an approval if `approvals.reuse_for` is 0', async () => {
    const content = text();
    await gateway.stop();
    await reconfigure(gateway, config({ approvals: { reuse_for: 0 } }));
    await gateway.launch();
    const run_id = (await ask(content)).body.svc_run_id;
    await ask(content);
    expect((await decide(gateway, run_id, 'approved')).body.status).toBe('completed');
    expect(eventOf(await ask(content))).toBe('paused');
  });
});
