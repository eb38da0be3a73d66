import type { JsonObject } from '@svc/contracts';
import { anthropic, type Behaviour, gemini, responses } from '@svc/sdk/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { TestGateway } from '../harness/gateway.ts';
import { startWebhook, type Webhook } from './allowing-webhook.ts';

const MARK = { svc_origin: 'retrieved' };
/** A tool's data has a key of this name, which is not a mark. */
const DATA = { svc_origin: 'retrieved', by: 'somebody' };
const PARAMETERS = { type: 'object', properties: { svc_origin: { type: 'string' } } };

/** Each text is the origin that guards must see. `kept`: what reaches the upstream as it is. */
interface Door {
  readonly path: string;
  readonly provider: JsonObject;
  readonly upstream?: Behaviour;
  readonly body: JsonObject;
  readonly kept: (sent: JsonObject) => unknown;
}

const DOORS: Readonly<Record<string, Door>> = {
  chat: {
    path: '/v1/chat/completions',
    provider: { type: 'openai' },
    body: {
      messages: [
        { role: 'system', content: 'retrieved', ...MARK },
        { role: 'system', content: [{ type: 'text', text: 'retrieved', ...MARK }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'user' },
            { type: 'text', text: 'retrieved', ...MARK },
          ],
        },
        {
          role: 'user',
          content: [{ type: 'image_url', image_url: { url: 'https://retrieved.example/', ...MARK } }],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', ...MARK, function: { name: 'read', arguments: JSON.stringify(DATA) } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: 'tool', ...MARK }] },
        { role: 'user', content: 'user' },
      ],
      tools: [{ type: 'function', function: { name: 'read', parameters: PARAMETERS } }],
      metadata: { svc_origin: 'retrieved' },
    },
    kept: ({ tools, metadata, messages }) => [
      [tools, metadata],
      ...(messages as JsonObject[]).map(({ tool_calls: [call] = [] }: { tool_calls?: JsonObject[] }) =>
        call === undefined ? [] : [(call.function as JsonObject).arguments],
      ),
    ],
  },
  responses: {
    path: '/v1/responses',
    provider: { type: 'openai', api: 'responses' },
    upstream: responses.answer(),
    body: {
      instructions: 'system',
      input: [
        { role: 'developer', content: [{ type: 'input_text', text: 'retrieved', ...MARK }] },
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'user' },
            { type: 'input_text', text: 'retrieved', ...MARK },
          ],
        },
        { type: 'function_call', call_id: 'c1', name: 'read', arguments: JSON.stringify(DATA), ...MARK },
        { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_text', text: 'tool', ...MARK }] },
        { role: 'user', content: 'retrieved', ...MARK },
      ],
      tools: [{ type: 'function', name: 'read', parameters: PARAMETERS }],
      metadata: { svc_origin: 'retrieved' },
    },
    kept: ({ tools, metadata, input }) => [tools, metadata, (input as JsonObject[]).map(({ arguments: given }) => given ?? null)],
  },
  messages: {
    path: '/v1/messages',
    provider: { type: 'anthropic' },
    upstream: anthropic.answer(),
    body: {
      max_tokens: 10,
      system: [
        { type: 'text', text: 'system' },
        { type: 'text', text: 'retrieved', ...MARK },
      ],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'user' },
            { type: 'text', text: 'retrieved', ...MARK },
          ],
        },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'read', input: DATA, ...MARK }] },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'tool', ...MARK }] },
            { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'document', ...MARK }], ...MARK } },
          ],
        },
        { role: 'user', content: 'retrieved', ...MARK },
      ],
      tools: [{ name: 'read', input_schema: PARAMETERS }],
    },
    kept: ({ tools, messages }) => [
      tools,
      (messages as { content: JsonObject[] }[]).map(({ content }) => content[0]?.input ?? null),
    ],
  },
  gemini: {
    path: '/v1beta/models/gemini:generateContent',
    provider: { type: 'gemini', api_key: 'k' },
    upstream: gemini.answer(),
    body: {
      systemInstruction: { parts: [{ text: 'system' }, { text: 'retrieved', ...MARK }] },
      contents: [
        { role: 'user', parts: [{ text: 'user' }, { text: 'retrieved', ...MARK }] },
        { role: 'model', parts: [{ functionCall: { name: 'read', args: DATA, ...MARK } }] },
        {
          role: 'user',
          parts: [
            {
              functionResponse: {
                name: 'read',
                response: { ...DATA, is: 'tool' },
                parts: [{ inlineData: { mimeType: 'image/png', data: 'iVBORw0K', displayName: 'document' }, ...MARK }],
                ...MARK,
              },
            },
          ],
        },
        { role: 'user', parts: [{ text: 'retrieved' }], ...MARK },
      ],
      tools: [{ functionDeclarations: [{ name: 'read', parametersJsonSchema: PARAMETERS }] }],
    },
    kept: ({ tools, contents }) => [
      tools,
      (contents as { parts: { functionCall?: JsonObject; functionResponse?: JsonObject }[] }[]).map(({ parts: [part] }) => [
        part?.functionCall?.args ?? null,
        part?.functionResponse?.response ?? null,
      ]),
    ],
  },
};

let webhook: Webhook;
let gateway: TestGateway;
const upstreams = new Map<string, Upstream>();
beforeAll(async () => {
  webhook = await startWebhook();
  for (const [name, { upstream }] of Object.entries(DOORS)) upstreams.set(name, await startUpstream(upstream));
  const urlOf = (name: string) => upstreams.get(name)?.url ?? '';
  const names = Object.keys(DOORS);
  const providers = Object.entries(DOORS).map(([name, { provider }]) => [
    name,
    { ...provider, base_url: provider.type === 'openai' ? urlOf(name) : new URL(urlOf(name)).origin, region: 'eu' },
  ]);
  const pipeline = { ingress: ['hook'], egress: [] };
  const routes = names.flatMap((name) => [
    [name, { provider: name, model: 'm-1', pipeline }],
    [`${name}-bare`, { provider: name, model: 'm-1', pipeline: {} }],
    [`${name}-chat`, { provider: 'chat', model: 'm-1', pipeline: {} }],
  ]);
  const secret = `whsec_${Buffer.alloc(32).toString('base64')}`;
  gateway = await TestGateway.start({
    here: true,
    config: {
      protocols: [{ type: 'gemini' }],
      providers: Object.fromEntries(providers),
      packs: { hook: { type: 'webhook', url: webhook.url, allow_private: true, secret } },
      routes: Object.fromEntries(routes),
    },
  });
});
afterAll(async () => {
  await gateway.dispose();
  await Promise.all([webhook.close(), ...[...upstreams.values()].map((upstream) => upstream.close())]);
});

const ORIGINS = ['system', 'user', 'retrieved', 'tool', 'document'];
const withoutMarks = (value: unknown): string => JSON.stringify(value).replaceAll(',"svc_origin":"retrieved"', '');

describe.each(Object.entries(DOORS))('in %s', (name, { path, body, kept }) => {
  const ask = (route: string, given: JsonObject = body) =>
    gateway.post(path.replace('gemini:', `${route}:`), path.includes('gemini') ? given : { model: route, ...given });
  const sent = (to: string) => upstreams.get(to)?.requests.at(-1)?.body as JsonObject;

  it('a mark counts wherever a message or the system prompt has it', async () => {
    webhook.asked.length = 0;
    expect((await ask(name)).status).toBe(200);
    const [{ segments }] = webhook.asked as [{ segments: { text: string; origin: string; path: string }[] }];
    const named = segments.filter(({ text, path: at }) => ORIGINS.includes(text) && !/^tools|metadata/.test(at));
    expect(named.map(({ path: at, text }) => [at, text])).toEqual(named.map(({ path: at, origin }) => [at, origin]));
    expect(new Set(named.map(({ text }) => text))).toContain('retrieved');
    for (const { origin } of segments.filter(({ text }) => text.includes('retrieved.example'))) expect(origin).toBe('retrieved');
  });

  it.each(['', '-bare', '-chat'])('no model sees a mark, and the data of tools stays (route %s)', async (suffix) => {
    const { status, headers } = await ask(`${name}${suffix}`);
    expect(status).toBe(200);
    expect(headers.get('x-svc-unsupported') ?? '').not.toContain('svc_origin');
    if (suffix === '-chat' && name !== 'chat') {
      const { tools, messages } = sent('chat') as { tools: JsonObject[]; messages: { tool_calls?: JsonObject[] }[] };
      expect(tools).toMatchObject([{ function: { parameters: PARAMETERS } }]);
      const [call] = messages.flatMap(({ tool_calls = [] }) => tool_calls) as [{ function: { arguments: string } }];
      expect(JSON.parse(call.function.arguments)).toEqual(DATA);
      for (const message of messages) expect(Object.keys(message)).not.toContain('svc_origin');
      return;
    }
    const received = sent(name);
    expect(kept(received)).toEqual(kept(body));
    const expected = JSON.parse(withoutMarks(body).replaceAll('"by"', '"svc_origin":"retrieved","by"')) as JsonObject;
    for (const field of ['messages', 'input', 'system', 'contents', 'systemInstruction'])
      if (body[field] !== undefined) expect(marksIn(received[field])).toEqual(marksIn(expected[field]));
  });

  it('a mark on the whole request is refused', async () => {
    const { status, body: answer } = await ask(`${name}-bare`, { ...body, ...MARK });
    expect([status, JSON.stringify(answer)]).toEqual([400, expect.stringContaining('body/svc_origin')]);
  });
});

/** Places of the name of the mark. */
function marksIn(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = 'svc_origin' in value ? [path] : [];
  return [...own, ...Object.entries(value).flatMap(([name, member]) => marksIn(member, `${path}.${name}`))];
}
