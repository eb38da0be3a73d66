import { anthropic } from '@svc/sdk/testing';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startUpstream, UPSTREAM_MARKER, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

const UPSTREAM_KEY = 'sk-ant-upstream-0123456789';

let upstream: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream(anthropic.answer());
  const claude = {
    type: 'ai-sdk',
    package: '@ai-sdk/anthropic',
    settings: { baseURL: upstream.url, apiKey: 'secret://env/UPSTREAM_KEY#value' },
    provider_options: { anthropic: { metadata: { userId: 'gateway-1' } } },
    region: 'us',
  };
  const missing = { type: 'ai-sdk', package: '@ai-sdk/not-installed', region: 'us' };
  const pipeline = { ingress: ['mask', 'policy'], egress: ['mask'] };
  const route = (provider: string) => ({ provider, model: 'claude-sonnet-4-5', pipeline });
  const config = echoConfig({
    providers: { claude, missing },
    routes: { default: route('claude'), unready: route('missing') },
  });
  gateway = await TestGateway.start({ here: true, config, env: { UPSTREAM_KEY } });
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});

const client = () => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key('alice'), maxRetries: 0 });
const say = (content: string, model = 'default') => ({ model, messages: [{ role: 'user' as const, content }] });

describe('the official OpenAI client, with a package of the AI SDK as provider', () => {
  it('is answered whole; guards check both directions; the evidence lists unsupported parts', async () => {
    const { data, response } = await client()
      .chat.completions.create({ ...say('pay ACC-22 now'), seed: 7, logprobs: true })
      .withResponse();
    expect(data).toMatchObject({
      choices: [{ message: { content: 'upstream: pay <ACCOUNT> now' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 3, completion_tokens: 4 },
    });
    expect(upstream.requests.at(-1)).toMatchObject({
      path: '/v1/messages',
      headers: { 'x-api-key': UPSTREAM_KEY },
      body: { model: 'claude-sonnet-4-5', metadata: { user_id: 'gateway-1' } },
    });
    const { body } = await gateway.get(`/v1/runs/${response.headers.get('x-svc-run-id')}`);
    const called = body.events.find((event: { event_type: string }) => event.event_type === 'provider_call');
    // The specification has no place for `logprobs`; that its model ignores `seed`, the package says.
    expect(called?.data).toMatchObject({
      provider: 'claude',
      unsupported: ['logprobs', 'seed'],
      usage: { input_tokens: 3, output_tokens: 4, estimated: false },
    });
  });

  it('streams', async () => {
    const stream = client().chat.completions.stream({
      ...say('hello there ACC-7'),
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(await stream.finalContent()).toBe('upstream: hello there <ACCOUNT>');
    expect(await stream.totalUsage()).toMatchObject({ prompt_tokens: 3, completion_tokens: 4 });
  });

  it("gets failures in the gateway's own wording", async () => {
    upstream.respond(anthropic.failure(529, 'overloaded_error'));
    const error: unknown = await client()
      .chat.completions.create(say('hello'))
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 503, code: 'server_is_overloaded' });
    expect(String(error)).not.toContain(UPSTREAM_MARKER);
    expect(gateway.output).not.toMatch(new RegExp(`${UPSTREAM_MARKER}|${UPSTREAM_KEY}`));
  });

  it("gets an error if the model's package is not installed, and the log says what to install", async () => {
    const error: unknown = await client()
      .chat.completions.create(say('hello', 'unready'))
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 502, code: 'SVC-PROV-009' });
    const [line = ''] = await gateway.until((output) => /.*ai_sdk_package_unusable.*\n/.exec(output) ?? undefined);
    expect(JSON.parse(line)).toMatchObject({
      package: '@ai-sdk/not-installed',
      reason: 'not_installed',
      remedy: expect.stringContaining('npm install @ai-sdk/not-installed'),
    });
  });
});
