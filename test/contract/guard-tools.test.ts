import type { JsonObject } from '@svc/contracts';
import type { Behaviour } from '@svc/sdk/testing';
import { toolDigest } from '@svc/toolkit/tools';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { TestGateway } from '../harness/gateway.ts';
import { decide } from './pausing-gateway.ts';
import { type Called, callsReceived, TOOL_CALLERS } from './tool-callers.ts';

const DESCRIPTION = 'Does as it says.';
const CHANGED = 'Does as it says. MARKER-CHANGED';
const SCHEMA = { type: 'object', properties: { to: { type: 'string' } } };
const PINNED = toolDigest({
  definition: { kind: 'function', name: 'pinned', description: DESCRIPTION, parameters: SCHEMA },
});
const INSIDE = { type: 'object', properties: { to: { type: 'string', pattern: '@acme\\.example$' } }, required: ['to'] };

const RULES: JsonObject[] = [
  { name: 'inside', tools: ['mail'], arguments: INSIDE, action: 'allow' },
  { name: 'outside', tools: ['mail'], action: 'deny' },
  { name: 'reads', tools: ['read_*', 'pinned'], action: 'allow' },
  { name: 'hidden', tools: ['secret'], action: 'withhold' },
  { name: 'drops', tools: ['drop_*'], action: 'deny' },
];
const PACKS: Record<string, JsonObject> = {
  tools: { rules: RULES, pins: { pinned: [`sha256:${PINNED}`] }, placeholders: 'block' },
  asks: { type: 'tools', rules: [{ name: 'pays', tools: ['pay'], action: 'approve' }, ...RULES] },
  cuts: { type: 'tools', rules: RULES, offered: 'withhold' },
  watch: { type: 'tools', rules: RULES, mode: 'observe' },
};
const MARKER = 'MARKER-ARGUMENT';
const TO = { to: `${MARKER}@acme.example` };

describe.each(TOOL_CALLERS)('tools of $name', (caller) => {
  let upstream: Upstream;
  let gateway: TestGateway;
  let behave: Behaviour;
  beforeAll(async () => {
    upstream = await startUpstream((request, response) => behave(request, response));
    const { origin } = new URL(upstream.url);
    const base_url = caller.provider.type === 'openai' ? upstream.url : origin;
    const routes = Object.keys(PACKS).map((name) => [
      name,
      { provider: 'up', model: 'm-1', pipeline: { ingress: [name], egress: [name] } },
    ]);
    gateway = await TestGateway.start({
      here: true,
      config: {
        protocols: [{ type: 'gemini' }],
        providers: { up: { ...caller.provider, base_url } },
        packs: PACKS,
        approvals: { reuse_for: 0 },
        routes: Object.fromEntries(routes),
      },
    });
  });
  afterAll(async () => {
    await gateway.dispose();
    await upstream.close();
  });

  async function ask(model: string, stream: boolean, body: JsonObject, calls: readonly Called[] = []) {
    behave = caller.answer(calls);
    const before = upstream.requests.length;
    const { text, headers } = await gateway.post(caller.path(model, stream), { model, stream, ...body });
    const run_id = String(headers.get('x-svc-run-id'));
    const { status, events } = (await gateway.get(`/v1/runs/${run_id}`)).body;
    const verdicts = events
      .filter(({ node, event_type }: JsonObject) => node === model && /verdict|observed/.test(String(event_type)))
      .map(({ stage, data }: JsonObject) => `${stage} ${Object(data).verdict} ${Object(data).code}`);
    const reached = upstream.requests.length > before ? JSON.stringify(upstream.requests.at(-1)?.body) : null;
    expect(JSON.stringify(events)).not.toContain('MARKER');
    const received = status === 'completed' ? callsReceived(caller, text, stream) : [];
    return { text, received, run_id, status, events, verdicts, reached };
  }
  const offering = (...names: string[]): JsonObject => caller.request(names, DESCRIPTION);

  describe.each([false, true])('streamed: %s', (stream) => {
    it('an allowed call reaches its caller as the model made it', async () => {
      const calls = [{ name: 'mail', input: TO }];
      const { received, verdicts } = await ask('tools', stream, offering('mail'), calls);
      expect(verdicts).toEqual(['ingress allow tools', 'egress allow tools']);
      expect(received).toEqual(calls);
    });

    it.each([
      ['outside', { name: 'mail', input: { to: MARKER } }],
      ['unoffered-call', { name: 'read_all', input: TO }],
      ['unoffered-call', { name: 'Mail', input: TO }],
      ['unoffered-call', { name: 'drop_all', input: TO }],
      ['unsafe-name', { name: 'mаil', input: TO }],
      ['placeholder', { name: 'mail', input: { to: '<PERSON_1>', x: MARKER } }],
    ])('%s: a call is refused, and no part of it reaches the caller', async (code, call) => {
      const { text, status, verdicts } = await ask('tools', stream, offering('mail'), [call]);
      expect([status, verdicts.at(-1)]).toEqual(['blocked', `egress block ${code}`]);
      // Upstreams send arguments in pieces.
      expect(text).not.toMatch(/MARK/);
      expect(text).not.toMatch(/"(?:tool_calls|tool_use|function_call|functionCall)"/);
      if (call.name !== 'mail') expect(text).not.toContain(call.name);
      expect(text).not.toContain('<PERSON_1>');
    });

    it('one denied call among parallel ones stops the run', async () => {
      const calls = [
        { name: 'read_a', input: {} },
        { name: 'mail', input: { to: MARKER } },
      ];
      const { text, status, verdicts } = await ask('tools', stream, offering('mail', 'read_a'), calls);
      expect([status, verdicts.at(-1)]).toEqual(['blocked', 'egress block outside']);
      expect(text).not.toContain('MARKER');
    });

    it('a result is withheld, and the run continues', async () => {
      const results = [
        { name: 'secret', input: {}, result: JSON.stringify({ MARKER: true, more: [1, 'MARKER'] }) },
        { name: 'read_a', input: {}, result: 'what was read' },
      ];
      const body = caller.request(['secret', 'read_a'], DESCRIPTION, results);
      const { reached, status, verdicts } = await ask('tools', stream, body);
      expect([status, verdicts[0]]).toEqual(['completed', 'ingress sanitize hidden']);
      expect(reached).not.toContain('MARKER');
      expect(reached).toContain('withheld by policy');
      expect(reached).toContain('what was read');
    });

    it('a denied call of the past is withheld with its result', async () => {
      const body = caller.request(['read_a'], DESCRIPTION, [{ name: 'drop_all', input: {}, result: 'MARKER' }]);
      const { reached, verdicts } = await ask('tools', stream, body);
      expect(verdicts[0]).toBe('ingress sanitize drops');
      expect(reached).not.toContain('MARKER');
    });

    it('a pinned definition that changed is blocked, with its digest in the evidence', async () => {
      expect((await ask('tools', stream, offering('pinned'))).status).toBe('completed');
      const { status, verdicts, reached, events, text } = await ask('tools', stream, caller.request(['pinned'], CHANGED));
      expect([status, verdicts, reached]).toEqual(['blocked', ['ingress block changed-pin'], null]);
      const [{ data }] = events.filter(({ event_type }: JsonObject) => event_type === 'verdict');
      const digest = data.findings.map(({ entity_type }: JsonObject) => entity_type).find((name: string) => name.length === 64);
      expect(digest).not.toBe(PINNED);
      expect(text).toContain(digest);
    });

    it('refused offers and choices do not reach a model', async () => {
      const bodies: [string, JsonObject][] = [
        ['drops', offering('drop_all')],
        ['duplicate-offer', offering('mail', 'MAIL')],
        ['unsafe-name', offering('mаil')],
        ['default', offering('other')],
        ['unknown-choice', { ...offering('mail'), ...caller.choice('read_a') }],
      ];
      for (const [code, body] of bodies) {
        const { status, verdicts, reached } = await ask('tools', stream, body);
        expect([status, verdicts, reached]).toEqual(['blocked', [`ingress block ${code}`], null]);
      }
    });

    it('a denied definition is withheld, if the options say so', async () => {
      const some = await ask('cuts', stream, offering('drop_all', 'mail'), [{ name: 'drop_all', input: TO }]);
      expect(some.verdicts).toEqual(['ingress sanitize drops', 'egress block unoffered-call']);
      expect(some.reached).toContain('mail');
      expect(some.reached).not.toContain('drop_all');
      const all = await ask('cuts', stream, { ...offering('drop_all') });
      expect([all.status, all.reached?.includes('"tools"')]).toEqual(['completed', false]);
    });

    it('an approver sees the calls and approves them', async () => {
      const { run_id, status, text, verdicts } = await ask('asks', stream, offering('pay'), [{ name: 'pay', input: TO }]);
      expect([status, verdicts.at(-1)]).toEqual(['paused', 'egress require_approval pays']);
      expect(text).not.toContain(MARKER);
      const shown = (await gateway.get(`/v1/runs/${run_id}/pending`, 'bob')).text;
      expect(shown).toContain('pay');
      expect(shown).toContain(MARKER);
      const done = await decide(gateway, run_id, 'approved');
      expect(JSON.stringify(done.body)).toContain('completed');
    });

    it('a guard that observes changes nothing', async () => {
      const calls = [{ name: 'mail', input: { to: MARKER } }];
      const observed = await ask('watch', stream, offering('mail'), calls);
      expect([observed.status, observed.verdicts.at(-1)]).toEqual(['completed', 'egress block outside']);
      expect(observed.received).toEqual(calls);
      const body = caller.request(['drop_all'], DESCRIPTION, [{ name: 'secret', input: {}, result: 'kept result' }]);
      expect((await ask('watch', stream, body)).reached).toContain('kept result');
    });
  });
});
