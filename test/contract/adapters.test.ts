import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

/** Guards that ask a service. For LiteLLM's API, the service is another gateway. */
const ADAPTERS = ['presidio', 'opa', 'litellm'] as const;

let services: Server;
let judge: TestGateway;
let upstream: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  services = createServer(async (request, response) => {
    await json(request);
    // Presidio's analyzer finds nothing, and the policy of OPA allows.
    response.end(request.url === '/analyze' ? '[]' : '{"result":{"verdict":"allow"}}');
  }).listen(0, '127.0.0.1');
  const routes = {
    judge: { provider: 'local', model: 'echo-1', pipeline: { ingress: ['mask', 'policy'], egress: ['mask', 'policy'] } },
  };
  [judge, upstream] = await Promise.all([
    TestGateway.start({
      here: true,
      config: echoConfig({ routes }),
      principals: [{ principal_id: 'front', roles: ['call', 'audit'] }],
    }),
    startUpstream(),
    once(services, 'listening'),
  ]);
  const base_url = `http://127.0.0.1:${(services.address() as AddressInfo).port}`;
  const own = { base_url: `${judge.url}/v1/guard/judge`, api_key: judge.key('front') };
  const route = (name: string) => ({ provider: 'vendor', model: 'm-1', pipeline: { ingress: [name], egress: [name] } });
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      providers: { vendor: { type: 'openai', base_url: upstream.url } },
      packs: { presidio: { base_url }, opa: { base_url, path: 'gateway/decision' }, litellm: own },
      routes: Object.fromEntries(ADAPTERS.map((name) => [name, route(name)])),
    }),
  });
});
afterAll(async () => {
  await Promise.all([gateway, judge].map((each) => each.dispose()));
  await upstream.close();
  services.close();
});

const IMAGE = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
const user = (...content: JsonObject[]): JsonObject[] => [{ role: 'user', content }];
const said = (text: string): JsonObject => ({ type: 'text', text });

async function ask(model: string, messages: JsonObject[], stream = false) {
  const { headers, text, body } = await gateway.post('/v1/chat/completions', { model, messages, stream });
  const run_id = String(headers.get('x-svc-run-id'));
  const record = (await gateway.ledger()).findLast((each) => each.record_type === 'run_evidence' && each.run_id === run_id);
  const events = (record?.events ?? []) as JsonObject[];
  const verdicts = events.filter(({ event_type }) => event_type === 'verdict');
  return { text, body, verdicts };
}

describe.each(ADAPTERS)('the evidence of a run with the guard %s', (name) => {
  it.each([false, true])('has what the guard looked at, and what it could not (stream: %s)', async (stream) => {
    upstream.respond(answer('Fine, thanks.'));
    const { verdicts } = await ask(
      name,
      [{ role: 'system', content: 'Be kind. 😀' }, ...user(said('How are you?'), IMAGE)],
      stream,
    );
    expect(verdicts.map(({ node, stage, data }) => [node, stage, Object(data).verdict, Object(data).scanned])).toEqual([
      [
        name,
        'ingress',
        'allow',
        {
          segments: 2,
          characters: 'Be kind. 😀How are you?'.length,
          skipped: [{ path: 'messages.1.content.1.image_url.url', why: 'image' }],
        },
      ],
      [name, 'egress', 'allow', { segments: 1, characters: 'Fine, thanks.'.length, skipped: [] }],
    ]);
  });
});

describe('the guard litellm with another gateway as its guardrail', () => {
  const recorded = async (): Promise<JsonObject[]> =>
    (await judge.ledger('front')).filter(({ record_type }) => record_type === 'run_evidence');

  it('masks requests and answers, and both gateways have evidence', async () => {
    const before = (await recorded()).length;
    upstream.respond(answer('from ACC-7'));
    const { body, verdicts } = await ask('litellm', user(said('pay ACC-12 😀'), said('and ACC-3')));
    expect(JSON.stringify(upstream.requests.at(-1)?.body)).toContain('pay <ACCOUNT> 😀');
    expect(JSON.stringify(upstream.requests.at(-1)?.body)).not.toContain('ACC-');
    expect(body.choices[0].message.content).toBe('from <ACCOUNT>');
    expect(verdicts.map(({ data }) => [Object(data).verdict, Object(data).findings])).toEqual([
      ['sanitize', [{ entity_type: 'guardrail', count: 2 }]],
      ['sanitize', [{ entity_type: 'guardrail', count: 1 }]],
    ]);
    const judged = (await recorded()).slice(before);
    expect(judged).toHaveLength(2);
    expect(JSON.stringify(judged)).not.toContain('ACC-');
  });

  it.each(['this is forbidden', 'a wire transfer'])('blocks what it refuses, in a request and in an answer: %s', async (text) => {
    const calls = upstream.requests.length;
    const asked = await ask('litellm', user(said(text)));
    expect(asked.verdicts.at(-1)).toMatchObject({ stage: 'ingress', data: { verdict: 'block' } });
    expect(upstream.requests.length).toBe(calls);
    upstream.respond(answer(text));
    const answered = await ask('litellm', user(said('hello')), true);
    expect(answered.verdicts.at(-1)).toMatchObject({ stage: 'egress', data: { verdict: 'block' } });
    expect(answered.text).not.toContain(text);
  });
});

describe('while the service is unreachable', () => {
  beforeAll(async () => {
    services.closeAllConnections();
    services.close();
    await judge.stop();
  });

  it.each(ADAPTERS)('the guard %s blocks, and the evidence says that it failed', async (name) => {
    const calls = upstream.requests.length;
    const { verdicts } = await ask(name, user(said('hello'), IMAGE));
    expect(upstream.requests.length).toBe(calls);
    expect(verdicts).toMatchObject([{ node: name, stage: 'ingress', data: { verdict: 'block', code: 'SVC-NODE-001' } }]);
    const scanned = { segments: 1, characters: 5, skipped: [{ why: 'image' }] };
    expect(Object(verdicts[0]?.data).scanned).toMatchObject(scanned);
  });
});
