import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { TestGateway } from '../harness/gateway.ts';
import { decide, evidenceOf, judgedBy, ofType, PIPELINE, pausedRun, pausingConfig } from './pausing-gateway.ts';

let upstream: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  const route = { provider: 'upstream', model: 'm-1', approvers: ['bob', 'carol'], pipeline: PIPELINE };
  const principals = ['alice', 'bob', 'carol', 'dave'].map((principal_id) => ({ principal_id }));
  gateway = await TestGateway.start({
    here: true,
    config: pausingConfig(upstream.url, { routes: { bounded: route } }),
    principals,
  });
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});

const paused = (content: string, more: JsonObject = {}): Promise<string> => pausedRun(gateway, content, more);
const read = async (run_id: string) => (await gateway.get(`/v1/runs/${run_id}`)).body;
const once = (...stages: ('ingress' | 'egress')[]): string[] =>
  stages.flatMap((stage) => PIPELINE[stage].map((node) => `${stage} ${node}`));

describe('an ingress pause', () => {
  it('keeps the edited payload: approver and model get masked text', async () => {
    const before = upstream.requests.length;
    const run_id = await paused('wire ACC-11 for CUS-22');
    const { body: pending } = await gateway.get(`/v1/runs/${run_id}/pending`, 'bob');
    // The approver sees what was masked up to the pausing node.
    expect(pending.messages).toEqual([{ role: 'user', content: 'wire <ACCOUNT> for CUS-22' }]);
    expect(upstream.requests).toHaveLength(before);
    const { body } = await decide(gateway, run_id, 'approved');
    expect(body).toMatchObject({ run_id, status: 'completed', response: 'upstream: wire <ACCOUNT> for <CUSTOMER>' });
    expect(upstream.requests).toHaveLength(before + 1);
    expect(upstream.requests.at(-1)?.body).toMatchObject({ messages: [{ content: 'wire <ACCOUNT> for <CUSTOMER>' }] });
    expect(upstream.requests.at(-1)?.text).not.toMatch(/ACC-11|CUS-22/);
  });

  it('continues after the pausing node, and nothing runs twice', async () => {
    const before = upstream.requests.length;
    const run_id = await paused('wire');
    expect(judgedBy((await read(run_id)).events)).toEqual(['ingress account', 'ingress wire']);
    const { body } = await decide(gateway, run_id, 'approved');
    expect(judgedBy(body.events)).toEqual(once('ingress', 'egress'));
    expect(upstream.requests).toHaveLength(before + 1);
    expect(ofType(body.events, 'provider_call')).toHaveLength(1);
  });

  it('shows approvers the pending content: node, code, messages, digest, time', async () => {
    const asked = Date.now();
    const run_id = await paused('wire');
    const { status, body } = await gateway.get(`/v1/runs/${run_id}/pending`, 'bob');
    expect(status).toBe(200);
    expect(body).toEqual({
      parameters: {},
      protocol: 'openai.chat',
      run_id,
      route: 'default',
      principal_id: 'alice',
      stage: 'ingress',
      node: 'wire',
      code: 'wire',
      messages: [{ role: 'user', content: 'wire' }],
      answer: null,
      texts: [{ index: 0, path: 'messages.0.content', role: 'user', text: 'wire' }],
      original_texts: null,
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      reason: 'optional',
      passkey: 'none',
      approvals: { given: 0, needed: 1 },
      may_decide: [],
      on_behalf_of: null,
      decisions: [],
      since: new Date(body.since).toISOString(),
      expires_at: new Date(body.expires_at).toISOString(),
    });
    expect(Date.parse(body.since)).toBeGreaterThanOrEqual(asked);
  });

  it('is decided for the content that was shown: pending, paused and decision have the same digest', async () => {
    const run_id = await paused('wire');
    const { body: pending } = await gateway.get(`/v1/runs/${run_id}/pending`, 'bob');
    const { body } = await decide(gateway, run_id, 'approved');
    const [pause] = ofType(body.events, 'paused');
    const [decision] = ofType(body.events, 'decision');
    expect(pause).toMatchObject({ stage: 'ingress', node: 'wire', data: { code: 'wire', digest: pending.digest } });
    expect(decision).toMatchObject({
      stage: 'approval',
      node: 'wire',
      data: { decision: 'approved', principal_id: 'bob', digest: pending.digest, route_digest: pause?.data.route_digest },
    });
    expect(new Date(String(decision?.data.at)).toISOString()).toBe(decision?.data.at);
  });

  it('equal requests have different digests, so the ledger does not reveal equality', async () => {
    const digests = await Promise.all(
      ['wire', 'wire'].map(async (content) => ofType((await read(await paused(content))).events, 'paused')[0]?.data.digest),
    );
    expect(digests[0]).not.toBe(digests[1]);
  });

  it('passes the whole request on: parameters, tools and earlier turns', async () => {
    const messages = [
      { role: 'system', content: 'Be brief about ACC-1.' },
      { role: 'user', content: 'first' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":"ACC-2"}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'CUS-3' },
      { role: 'user', content: [{ type: 'text', text: 'wire' }] },
    ];
    const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];
    const asked = { model: 'default', messages, tools, temperature: 0.5, seed: 7 };
    const { body } = await gateway.post('/v1/chat/completions', asked);
    await decide(gateway, body.svc_run_id, 'approved');
    const sent = JSON.stringify(asked)
      .replace('default', 'm-1')
      .replaceAll(/ACC-\d/g, '<ACCOUNT>')
      .replace('CUS-3', '<CUSTOMER>');
    expect(upstream.requests.at(-1)?.body).toEqual(JSON.parse(sent));
  });
});

describe('an egress pause', () => {
  it('holds the answer, shows it masked to the approver, and releases it', async () => {
    const before = upstream.requests.length;
    const { body: chat } = await gateway.chat('a leak of ACC-11');
    expect(chat.choices[0]).toMatchObject({ finish_reason: 'content_filter' });
    expect(JSON.stringify(chat)).not.toContain('upstream:');
    const run_id = chat.svc_run_id;
    expect(upstream.requests).toHaveLength(before + 1);
    const { body: pending } = await gateway.get(`/v1/runs/${run_id}/pending`, 'bob');
    const content = 'upstream: a leak of <ACCOUNT>';
    expect(pending).toMatchObject({ stage: 'egress', node: 'leak', answer: { choices: [{ message: { content } }] } });
    const { body } = await decide(gateway, run_id, 'approved');
    expect(body).toMatchObject({ status: 'completed', response: content });
    expect(judgedBy(body.events)).toEqual(once('ingress', 'egress'));
    // The answer was paid for once.
    expect(upstream.requests).toHaveLength(before + 1);
    expect(ofType(body.events, 'provider_call')).toHaveLength(1);
  });

  it('masks the answer itself before anyone sees it', async () => {
    upstream.respond(answer('a leak of ACC-99'));
    const run_id = await paused('hello');
    const { body: pending, text } = await gateway.get(`/v1/runs/${run_id}/pending`, 'bob');
    expect(pending.answer.choices[0].message.content).toBe('a leak of <ACCOUNT>');
    expect(text).not.toContain('ACC-99');
    expect((await decide(gateway, run_id, 'approved')).body.response).toBe('a leak of <ACCOUNT>');
  });

  it('denied, releases nothing', async () => {
    const run_id = await paused('a leak');
    const { body } = await decide(gateway, run_id, 'denied');
    expect(body).toMatchObject({ status: 'denied', response: '' });
    const { text } = await gateway.get(`/v1/runs/${run_id}/response`);
    expect(text).not.toContain('upstream:');
  });
});

describe('a later node', () => {
  it('pauses again in the same stage; the approver is the last decision', async () => {
    const run_id = await paused('wire offshore', { route: 'bounded' });
    const { body: first } = await decide(gateway, run_id, 'approved', 'bob');
    expect(first).toMatchObject({ status: 'paused', response: '' });
    expect((await gateway.get(`/v1/runs/${run_id}/pending`, 'bob')).body).toMatchObject({ node: 'offshore' });
    expect(await evidenceOf(gateway, run_id)).toEqual([]);
    const { body: last } = await decide(gateway, run_id, 'approved', 'carol');
    expect(last.status).toBe('completed');
    expect(judgedBy(last.events)).toEqual(once('ingress', 'egress'));
    const decisions = ofType(last.events, 'decision').map(({ node, data }) => [node, data.principal_id, data.digest]);
    const pauses = ofType(last.events, 'paused').map(({ node, data }) => [node, data.digest]);
    expect(decisions.map(([node, who]) => [node, who])).toEqual([
      ['wire', 'bob'],
      ['offshore', 'carol'],
    ]);
    expect(decisions.map(([node, , digest]) => [node, digest])).toEqual(pauses);
    expect(await evidenceOf(gateway, run_id)).toMatchObject([
      { status: 'completed', approver: { principal_id: 'carol', decision: 'approved' } },
    ]);
  });

  it('pauses again in the other stage, and once more in that one', async () => {
    const run_id = await paused('wire leak rumour');
    const nodes: string[] = [];
    for (const status of ['paused', 'paused', 'completed']) {
      nodes.push((await gateway.get(`/v1/runs/${run_id}/pending`)).body.node);
      expect((await decide(gateway, run_id, 'approved')).body.status).toBe(status);
    }
    expect(nodes).toEqual(['wire', 'leak', 'rumour']);
    expect(judgedBy((await read(run_id)).events)).toEqual(once('ingress', 'egress'));
  });

  it('may be denied after an approval: the last decision counts', async () => {
    const run_id = await paused('wire leak');
    await decide(gateway, run_id, 'approved', 'bob');
    expect((await decide(gateway, run_id, 'denied', 'carol')).body.status).toBe('denied');
    expect(await evidenceOf(gateway, run_id)).toMatchObject([
      { status: 'denied', approver: { principal_id: 'carol', decision: 'denied' } },
    ]);
  });
});

describe('denied', () => {
  it('calls no model, ends with one evidence record, and is final', async () => {
    const before = upstream.requests.length;
    const run_id = await paused('wire');
    expect((await decide(gateway, run_id, 'denied')).body).toMatchObject({ status: 'denied', response: '' });
    expect(upstream.requests).toHaveLength(before);
    expect(await decide(gateway, run_id, 'approved')).toMatchObject({ status: 409, body: { code: 'SVC-RUN-002' } });
    const { events } = await read(run_id);
    const moves = ofType(events, 'state').map(({ data }) => data.to);
    expect(moves).toEqual(['running', 'paused', 'running', 'denied']);
    expect(await evidenceOf(gateway, run_id)).toHaveLength(1);
  });
});

describe('of several concurrent decisions', () => {
  it('six approvals: one is accepted, five get 409, the model is called once', async () => {
    const before = upstream.requests.length;
    const run_id = await paused('wire');
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) => decide(gateway, run_id, 'approved', i % 2 ? 'bob' : 'carol')),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    for (const { status, body } of answers) if (status === 409) expect(body.code).toBe('SVC-RUN-002');
    const { events } = await read(run_id);
    expect(ofType(events, 'decision')).toHaveLength(1);
    expect(upstream.requests).toHaveLength(before + 1);
    expect(await evidenceOf(gateway, run_id)).toHaveLength(1);
  });

  it('approvals and denials: the run, its events and its evidence agree', async () => {
    for (let round = 0; round < 5; round += 1) {
      const run_id = await paused('wire');
      const asked = (['approved', 'denied', 'approved', 'denied'] as const).map((decision) => decide(gateway, run_id, decision));
      const won = (await Promise.all(asked)).filter(({ status }) => status === 200);
      expect(won).toHaveLength(1);
      const [evidence] = await evidenceOf(gateway, run_id);
      const decision = evidence?.status === 'completed' ? 'approved' : 'denied';
      expect(won[0]?.body.status).toBe(evidence?.status);
      expect(evidence).toMatchObject({ approver: { decision } });
      expect(ofType((await read(run_id)).events, 'decision')).toMatchObject([{ data: { decision } }]);
    }
  });
});
