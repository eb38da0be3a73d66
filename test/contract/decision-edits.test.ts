import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { TestGateway } from '../harness/gateway.ts';
import { decide, type Event, evidenceOf, ofType, PIPELINE, pausedRun, pausingConfig, statusOf } from './pausing-gateway.ts';

let upstream: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  const route = { provider: 'upstream', model: 'm-1', pipeline: PIPELINE };
  gateway = await TestGateway.start({
    here: true,
    config: pausingConfig(upstream.url, {
      approvals: { reuse_for: '10m' },
      packs: { barred: { type: 'rules', rules: [{ name: 'barred', words: ['forbidden'], verdict: 'block' }] } },
      routes: {
        two: { ...route, approvals: 2 },
        barred: { ...route, pipeline: { ingress: ['barred', 'account', 'wire'], egress: [] } },
        resident: { provider: 'upstream', model: 'm-1', pipeline: { ingress: ['barred'], egress: [] } },
      },
    }),
    principals: [
      { principal_id: 'alice' },
      { principal_id: 'bob' },
      { principal_id: 'carol' },
      { principal_id: 'root', roles: ['admin'] },
    ],
  });
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});

const pending = async (run_id: string, principal = 'bob') => (await gateway.get(`/v1/runs/${run_id}/pending`, principal)).body;
const resume = (run_id: string, body: object, principal = 'bob') => gateway.post(`/v1/runs/${run_id}/resume`, body, principal);
async function edit(run_id: string, text: string, principal = 'bob', more: JsonObject = {}) {
  const { digest, texts } = await pending(run_id, principal);
  return resume(run_id, { decision: 'approved', digest, edits: [{ index: texts.at(-1).index, text }], ...more }, principal);
}
const sent = () => Object(upstream.requests.at(-1)?.body).messages;
const eventsOf = async (run_id: string): Promise<Event[]> => (await gateway.get(`/v1/runs/${run_id}`)).body.events;

it("sends the approver's text after the guards checked it again; the record has both digests", async () => {
  const run_id = await pausedRun(gateway, 'wire ACC-1 to Bob');
  const { digest, texts } = await pending(run_id);
  expect(texts).toEqual([{ index: 0, path: 'messages.0.content', role: 'user', text: 'wire <ACCOUNT> to Bob' }]);
  const { body } = await edit(run_id, 'wire 10 euros to Bob');
  expect(body.status).toBe('completed');
  expect(sent()).toEqual([{ role: 'user', content: 'wire 10 euros to Bob' }]);
  const [record] = await evidenceOf(gateway, run_id);
  const events = record?.events as unknown as Event[];
  const [decision] = ofType(events, 'decision');
  expect(decision?.data).toMatchObject({ digest, edited: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) });
  expect(decision?.data.edited).not.toBe(digest);
  const after = events.slice(events.indexOf(decision as Event)).filter(({ event_type }) => event_type === 'verdict');
  expect(after.map(({ node }) => node)).toEqual([...PIPELINE.ingress, ...PIPELINE.egress]);
  expect(JSON.stringify(record)).not.toContain('euros');
});

it('changes a string of tool arguments, and adds no key to them', async () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'pay', arguments: '{"to":"Bob","note":"wire"}' } };
  const messages = [
    { role: 'user', content: 'pay' },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: 'done' },
  ];
  const { body } = await gateway.post('/v1/runs', { messages });
  const { digest, texts } = await pending(body.run_id);
  const paths = texts.map(({ path }: { path: string }) => path);
  expect(paths.filter((path: string) => /\.(?:id|name|type|role|tool_call_id)$/.test(path))).toEqual([]);
  const { index } = texts.find(({ text }: { text: string }) => text === 'Bob');
  const text = 'Eve","admin":true,"x":"';
  expect((await resume(body.run_id, { decision: 'approved', digest, edits: [{ index, text }] })).body.status).toBe('completed');
  const [, asked] = sent();
  expect(asked.tool_calls).toMatchObject([{ id: 'call_1', function: { name: 'pay' } }]);
  expect(JSON.parse(asked.tool_calls[0].function.arguments)).toEqual({ to: text, note: 'wire' });
});

it("is blocked if a guard blocks the approver's text", async () => {
  const before = upstream.requests.length;
  const run_id = await pausedRun(gateway, 'wire', { route: 'barred' });
  expect((await edit(run_id, 'a forbidden wire')).body.status).toBe('blocked');
  expect(upstream.requests).toHaveLength(before);
});

it("pauses again if a guard changes the approver's text, which nobody has approved", async () => {
  const run_id = await pausedRun(gateway, 'wire');
  expect((await edit(run_id, 'wire from ACC-2')).body.status).toBe('paused');
  expect(await pending(run_id)).toMatchObject({ messages: [{ content: 'wire from <ACCOUNT>' }], original_texts: null });
  expect((await decide(gateway, run_id, 'approved')).body.status).toBe('completed');
  expect(sent()).toMatchObject([{ content: 'wire from <ACCOUNT>' }]);
});

it("pauses if another guard requires approval for the approver's text", async () => {
  const run_id = await pausedRun(gateway, 'wire');
  expect((await edit(run_id, 'wire offshore')).body.status).toBe('paused');
  expect(await pending(run_id)).toMatchObject({ node: 'offshore' });
});

it('changes an answer that is paused, and no request', async () => {
  const run_id = await pausedRun(gateway, 'say leak');
  const { stage, texts } = await pending(run_id);
  expect([stage, texts.map(({ path }: { path: string }) => path)]).toEqual(['egress', ['choices.0.message.content']]);
  expect((await edit(run_id, 'nothing to see')).body).toMatchObject({ status: 'completed', response: 'nothing to see' });
});

it('with an operator’s approval, is checked by guards, and the approval counts', async () => {
  const state = (state: string) =>
    gateway.request('PUT', '/v1/operations/states/route/resident', { principal: 'root', body: { state } });
  await state('approval_required');
  const run_id = await pausedRun(gateway, 'hello', { route: 'resident' });
  expect((await edit(run_id, 'hello again')).body.status).toBe('completed');
  const other = await pausedRun(gateway, 'hello', { route: 'resident' });
  expect((await edit(other, 'forbidden')).body.status).toBe('blocked');
  await state('enabled');
});

describe('with a quorum', () => {
  it('everyone approves the changed content; earlier approvals do not count', async () => {
    const run_id = await pausedRun(gateway, 'wire', { route: 'two' });
    const { digest } = await pending(run_id);
    await decide(gateway, run_id, 'approved', 'alice');
    expect((await edit(run_id, 'wire less')).body.status).toBe('paused');
    const now = await pending(run_id, 'carol');
    expect(now).toMatchObject({
      texts: [{ text: 'wire less' }],
      original_texts: [{ text: 'wire' }],
      approvals: { given: 1, needed: 2 },
      decisions: [{ principal_id: 'alice' }, { principal_id: 'bob', digest, edited: now.digest }],
    });
    expect(await resume(run_id, { decision: 'approved', digest }, 'carol')).toMatchObject({ status: 409 });
    expect((await resume(run_id, { decision: 'approved', digest: now.digest }, 'carol')).body.status).toBe('completed');
    expect(sent()).toMatchObject([{ content: 'wire less' }]);
  });

  it('keeps its expiry, and survives a restart', async () => {
    const run_id = await pausedRun(gateway, 'wire', { route: 'two' });
    const { expires_at, since } = await pending(run_id);
    await edit(run_id, 'wire nothing');
    await gateway.stop();
    await gateway.launch();
    expect(await pending(run_id, 'carol')).toMatchObject({ expires_at, since, texts: [{ text: 'wire nothing' }] });
    const { digest } = await pending(run_id, 'carol');
    expect((await resume(run_id, { decision: 'approved', digest }, 'carol')).body.status).toBe('completed');
    expect(sent()).toMatchObject([{ content: 'wire nothing' }]);
  });

  it('an approval without the digest does not cover an edit that the approver may not have seen, a denial does', async () => {
    const run_id = await pausedRun(gateway, 'wire unseen', { route: 'two' });
    await edit(run_id, 'wire everything');
    const before = upstream.requests.length;
    expect(await decide(gateway, run_id, 'approved', 'carol')).toMatchObject({ status: 409, body: { code: 'SVC-RUN-002' } });
    expect(await pending(run_id, 'carol')).toMatchObject({ approvals: { given: 1 } });
    expect(upstream.requests).toHaveLength(before);
    expect((await decide(gateway, run_id, 'denied', 'carol')).body.status).toBe('denied');
  });

  it('with concurrent edits and approvals, only approvals of the sent content count', async () => {
    const run_id = await pausedRun(gateway, 'wire raced', { route: 'two' });
    const { digest } = await pending(run_id);
    const others = ['alice', 'carol'].map((person) => resume(run_id, { decision: 'approved', digest }, person));
    const all = await Promise.all([edit(run_id, 'wire edited'), ...others]);
    for (const { status } of all) expect([200, 409]).toContain(status);
    const decided = ofType(await eventsOf(run_id), 'decision').map(({ data }) => data.edited ?? data.digest);
    const last = decided.at(-1);
    const isDone = (await statusOf(gateway, run_id)) === 'completed';
    expect(decided.filter((each) => each === last)).toHaveLength(isDone ? 2 : 1);
    if (isDone) expect(sent()).toMatchObject([{ content: last === digest ? 'wire raced' : 'wire edited' }]);
  });
});

it('changes only the run that was read: copies and repetitions stay paused', async () => {
  const [one, other] = [await pausedRun(gateway, 'wire twice'), await pausedRun(gateway, 'wire twice')];
  expect((await edit(one, 'wire once')).body.status).toBe('completed');
  expect(await statusOf(gateway, other)).toBe('paused');
  await pausedRun(gateway, 'wire twice');
});

it('a copy is not approved together with edited content', async () => {
  const [one, other] = [
    await pausedRun(gateway, 'wire thrice', { route: 'two' }),
    await pausedRun(gateway, 'wire thrice', { route: 'two' }),
  ];
  await edit(one, 'wire once', 'bob');
  const { digest } = await pending(one, 'carol');
  expect((await resume(one, { decision: 'approved', digest }, 'carol')).body.status).toBe('completed');
  expect(await pending(other)).toMatchObject({ approvals: { given: 0 } });
});

describe('is refused', () => {
  it.each([
    ['without the digest', { digest: undefined }, 400],
    ['with another digest', { digest: `sha256:${'0'.repeat(64)}` }, 409],
    ['with a denial', { decision: 'denied' }, 400],
    ['of a text that is not there', { edits: [{ index: 99, text: 'x' }] }, 400],
    [
      'twice of one text',
      {
        edits: [
          { index: 0, text: 'x' },
          { index: 0, text: 'y' },
        ],
      },
      400,
    ],
    ['of no text', { edits: [] }, 400],
    ['with half a character', { edits: [{ index: 0, text: '\ud800' }] }, 400],
    ['with anything else', { edits: [{ index: 0, text: 'x', model: 'other' }] }, 400],
  ])('%s, and nothing changes', async (_, more, status) => {
    const run_id = await pausedRun(gateway, 'wire refused');
    const { digest } = await pending(run_id);
    const asked = { decision: 'approved', digest, edits: [{ index: 0, text: 'changed' }], ...more };
    expect(await resume(run_id, asked)).toMatchObject({ status });
    expect(await pending(run_id)).toMatchObject({ digest, texts: [{ text: 'wire refused' }] });
    expect(ofType(await eventsOf(run_id), 'decision')).toEqual([]);
  });
});
