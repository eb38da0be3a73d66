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

it('sends what the approver made of it, after the guards looked at it again; the record has both digests', async () => {
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

it('is blocked where a guard blocks what the approver wrote', async () => {
  const before = upstream.requests.length;
  const run_id = await pausedRun(gateway, 'wire', { route: 'barred' });
  expect((await edit(run_id, 'a forbidden wire')).body.status).toBe('blocked');
  expect(upstream.requests).toHaveLength(before);
});

it('pauses again where a guard changes what the approver wrote: nobody has approved that', async () => {
  const run_id = await pausedRun(gateway, 'wire');
  expect((await edit(run_id, 'wire from ACC-2')).body.status).toBe('paused');
  expect(await pending(run_id)).toMatchObject({ messages: [{ content: 'wire from <ACCOUNT>' }], original_texts: null });
  expect((await decide(gateway, run_id, 'approved')).body.status).toBe('completed');
  expect(sent()).toMatchObject([{ content: 'wire from <ACCOUNT>' }]);
});

it('pauses where another guard asks about what the approver wrote', async () => {
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

it('with an operator’s approval: guards look at it, and the approval counts', async () => {
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
  it('everybody approves what it became; what was approved before does not count', async () => {
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
    expect((await decide(gateway, run_id, 'approved', 'carol')).body.status).toBe('completed');
    expect(sent()).toMatchObject([{ content: 'wire nothing' }]);
  });
});

it('changes the run that was read alone: copies stay paused, and a repetition too', async () => {
  const [one, other] = [await pausedRun(gateway, 'wire twice'), await pausedRun(gateway, 'wire twice')];
  expect((await edit(one, 'wire once')).body.status).toBe('completed');
  expect(await statusOf(gateway, other)).toBe('paused');
  await pausedRun(gateway, 'wire twice');
});

it('a copy is not approved with what was edited, whoever approves that', async () => {
  const [one, other] = [
    await pausedRun(gateway, 'wire thrice', { route: 'two' }),
    await pausedRun(gateway, 'wire thrice', { route: 'two' }),
  ];
  await edit(one, 'wire once', 'bob');
  await decide(gateway, one, 'approved', 'carol');
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
