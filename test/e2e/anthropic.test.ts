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
    type: 'anthropic',
    base_url: new URL(upstream.url).origin,
    api_key: 'secret://env/UPSTREAM_KEY#value',
    region: 'us',
  };
  const pipeline = { ingress: ['mask', 'policy'], egress: ['mask'] };
  const config = echoConfig({
    providers: { claude },
    routes: {
      default: { provider: 'claude', model: 'claude-1', pipeline },
      native: { provider: 'claude', model: 'claude-1', pipeline, vendor_tools: ['bash', 'web_search'] },
    },
  });
  gateway = await TestGateway.start({ here: true, config, env: { UPSTREAM_KEY } });
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});

const client = () => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key('alice'), maxRetries: 0 });
const say = (content: string) => ({ model: 'default', messages: [{ role: 'user' as const, content }] });

describe("the official OpenAI client, with Anthropic's API as provider", () => {
  it('is answered whole; guards check both directions; the evidence lists unsupported parts', async () => {
    const { data, response } = await client()
      .chat.completions.create({ ...say('pay ACC-22 now'), seed: 7, temperature: 0.5 })
      .withResponse();
    expect(response.headers.get('x-svc-unsupported')).toBe('seed');
    expect(data).toMatchObject({
      model: 'default',
      choices: [{ message: { content: 'upstream: pay <ACCOUNT> now' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 3, completion_tokens: 4 },
    });
    expect(upstream.requests.at(-1)).toMatchObject({
      path: '/v1/messages',
      headers: { 'x-api-key': UPSTREAM_KEY },
      body: { model: 'claude-1', max_tokens: 4096, temperature: 0.5 },
    });
    const { body } = await gateway.get(`/v1/runs/${response.headers.get('x-svc-run-id')}`);
    expect(body.events.find((event: { event_type: string }) => event.event_type === 'provider_call')?.data).toMatchObject({
      provider: 'claude',
      unsupported: ['seed'],
      usage: { input_tokens: 3, output_tokens: 4, estimated: false },
    });
  });

  it('streams', async () => {
    const stream = client().chat.completions.stream({
      ...say('hello there'),
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(await stream.finalContent()).toBe('upstream: hello there');
    expect(await stream.totalUsage()).toMatchObject({ prompt_tokens: 2, completion_tokens: 3 });
  });

  it('calls a tool and returns its result', async () => {
    const tools = [{ type: 'function' as const, function: { name: 'pay', parameters: { type: 'object' } } }];
    const content = [{ type: 'tool_use', id: 'toolu_1', name: 'pay', input: { to: 'ACC-7', amount: 12 } }];
    upstream.respond(anthropic.answer({ content, stop_reason: 'tool_use' }));
    const first = await client().chat.completions.create({ ...say('pay Ann'), tools });
    const message = first.choices[0]?.message;
    expect(first.choices[0]?.finish_reason).toBe('tool_calls');
    expect(message?.tool_calls).toMatchObject([{ id: 'toolu_1', function: { name: 'pay' } }]);
    const [call] = message?.tool_calls ?? [];
    expect(JSON.parse(call?.type === 'function' ? call.function.arguments : '')).toEqual({ to: '<ACCOUNT>', amount: 12 });

    if (message === undefined) throw new Error('no message');
    upstream.respond(anthropic.answer({ content: [{ type: 'text', text: 'Ann is paid.' }] }));
    const messages = [
      ...say('pay Ann').messages,
      message,
      { role: 'tool' as const, tool_call_id: 'toolu_1', content: 'receipt for ACC-7' },
    ];
    const last = await client().chat.completions.create({ model: 'default', messages, tools });
    expect(last.choices[0]?.message.content).toBe('Ann is paid.');
    expect(upstream.requests.at(-1)?.body).toMatchObject({
      tools: [{ name: 'pay', input_schema: { type: 'object' } }],
      messages: [
        { role: 'user' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', input: { to: '<ACCOUNT>', amount: 12 } }] },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [{ text: 'receipt for <ACCOUNT>' }] }],
        },
      ],
    });
  });

  it("gets errors in the gateway's own wording", async () => {
    upstream.respond(anthropic.failure(529, 'overloaded_error'));
    const error: unknown = await client()
      .chat.completions.create(say('hello'))
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OpenAI.APIError);
    expect(error).toMatchObject({ status: 503, code: 'server_is_overloaded' });
    expect(String(error)).not.toContain(UPSTREAM_MARKER);
    expect(gateway.output).not.toMatch(new RegExp(`${UPSTREAM_MARKER}|${UPSTREAM_KEY}`));
  });
});

describe("Anthropic's own tools", () => {
  const TOOLS = [
    { type: 'bash_20250124', name: 'bash' },
    { type: 'web_search_20250305', name: 'web_search', blocked_domains: ['ACC-1.example'] },
    { type: 'memory_20250818', name: 'memory' },
    { type: 'my_secret_20250818', name: 'x' },
    { type: 'custom', name: 'pay', input_schema: { type: 'object' } },
  ];
  const PAY = { type: 'function', function: { name: 'pay', parameters: { type: 'object' } } };
  const asked = (door: string, model: string) => {
    const tools = door === '/v1/messages' ? TOOLS : [...TOOLS.slice(0, -1), PAY];
    return gateway.post(door, { model, max_tokens: 64, messages: say('list files').messages, tools });
  };
  const named = async (run_id: string | null) =>
    (await gateway.get(`/v1/runs/${run_id}`)).body.events.find(
      ({ event_type }: { event_type: string }) => event_type === 'unsupported',
    ).data.names;

  it.each(['/v1/chat/completions', '/v1/messages'])(
    'go to the model if the route lists them; others are named: %s',
    async (door) => {
      const input = { command: 'ls ACC-9' };
      upstream.respond(
        anthropic.answer({
          content: [
            { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
            { type: 'text', text: 'I look at ACC-2.' },
            { type: 'tool_use', id: 'toolu_1', name: 'bash', input },
          ],
          stop_reason: 'tool_use',
        }),
      );
      const listed = await asked(door, 'native');
      expect(upstream.requests.at(-1)?.body).toMatchObject({
        tools: [
          { type: 'bash_20250124', name: 'bash' },
          { type: 'web_search_20250305', name: 'web_search', blocked_domains: ['<ACCOUNT>.example'] },
          { name: 'pay', input_schema: { type: 'object' } },
        ],
      });
      expect(listed.headers.get('x-svc-unsupported')).toBe('tools.memory, tools.other');
      expect(await named(listed.headers.get('x-svc-run-id'))).toEqual(['tools.memory', 'tools.other']);
      expect(listed.text).toContain('ls <ACCOUNT>');
      expect(listed.text).toContain('I look at <ACCOUNT>.');
      const { headers } = await asked(door, 'default');
      expect(headers.get('x-svc-unsupported')).toBe('tools.bash, tools.web_search, tools.memory, tools.other');
      expect(upstream.requests.at(-1)?.body).toMatchObject({ tools: [{ name: 'pay' }] });
    },
  );

  it('a listed tool of OpenAI is left out by the provider, and named', async () => {
    const tools = [{ type: 'web_search' }, { type: 'custom', custom: { name: 'c' } }, PAY];
    const { headers } = await gateway.post('/v1/chat/completions', { ...say('hello'), model: 'native', tools });
    expect(headers.get('x-svc-unsupported')).toBe('tools.web_search, tools.custom');
    expect(upstream.requests.at(-1)?.body).toMatchObject({ tools: [{ name: 'pay' }] });
  });
});
