import Anthropic from '@anthropic-ai/sdk';
import { type Content, GoogleGenAI, type Part, Type } from '@google/genai';
import type { JsonObject } from '@svc/contracts';
import { anthropic, gemini } from '@svc/sdk/testing';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, embeddings, frames, JSON_HEADERS, raw, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { TestGateway } from '../harness/gateway.ts';

/** Google's official client, unmodified, at the door of the Gemini API. */
const MAIL = 'ann@example.org';
const SIGNATURE = Buffer.from('what a model thought').toString('base64');

const upstreams: Record<string, Upstream> = {};
let gateway: TestGateway;

beforeAll(async () => {
  upstreams.chat = await startUpstream();
  upstreams.messages = await startUpstream(anthropic.answer());
  upstreams.gemini = await startUpstream(gemini.answer());
  const route = (provider: string, packs: readonly string[] = []): JsonObject => ({
    provider,
    model: 'm-1',
    pipeline: { ingress: [...packs], egress: [...packs] },
  });
  gateway = await TestGateway.start({
    here: true,
    config: {
      protocols: [{ type: 'gemini' }],
      providers: {
        chat: { type: 'openai', base_url: urlOf('chat'), region: 'eu' },
        messages: { type: 'anthropic', base_url: new URL(urlOf('messages')).origin, region: 'eu' },
        gemini: { type: 'gemini', base_url: new URL(urlOf('gemini')).origin, api_key: 'upstream-key', region: 'eu' },
      },
      packs: { pii: {}, words: { type: 'rules', rules: [{ name: 'no', words: ['forbidden'], verdict: 'block' }] } },
      routes: {
        chat: route('chat'),
        messages: route('messages'),
        'team/gemini': route('gemini'),
        'chat-pii': route('chat', ['pii']),
        'messages-pii': route('messages', ['pii']),
        'gemini-pii': route('gemini', ['pii']),
        words: route('gemini', ['words']),
      },
    },
  });
});
afterAll(async () => {
  await gateway.dispose();
  for (const upstream of Object.values(upstreams)) await upstream.close();
});

function upstreamOf(name: string): Upstream {
  const upstream = upstreams[name];
  if (upstream === undefined) throw new Error(`no upstream ${name}`);
  return upstream;
}
const urlOf = (name: string): string => upstreamOf(name).url;
const lastOf = (name: string) => Object(upstreamOf(name).requests.at(-1)?.body);
const client = (apiKey = gateway.key('alice')) => new GoogleGenAI({ apiKey, httpOptions: { baseUrl: gateway.url } });

const ROUTES = [
  ['chat', 'chat'],
  ['messages', 'messages'],
  ['gemini', 'team/gemini'],
] as const;

describe.each(ROUTES)('against a %s upstream', (_name, model) => {
  it('answers whole', async () => {
    const response = await client().models.generateContent({ model, contents: 'Say hello.' });
    expect(response.text).toBe('upstream: Say hello.');
    expect(response.candidates?.[0]?.finishReason).toBe('STOP');
    expect(response.modelVersion).toBe(model);
    expect(response.usageMetadata?.totalTokenCount).toBeGreaterThan(0);
  });

  it('answers as a stream', async () => {
    const stream = await client().models.generateContentStream({ model, contents: 'Say hello to everybody.' });
    let text = '';
    let finish: string | undefined;
    for await (const chunk of stream) {
      text += chunk.text ?? '';
      finish = chunk.candidates?.[0]?.finishReason ?? finish;
    }
    expect([text, finish]).toEqual(['upstream: Say hello to everybody.', 'STOP']);
  });

  it('counts tokens', async () => {
    const { totalTokens } = await client().models.countTokens({ model, contents: 'How many are these?' });
    expect(totalTokens).toBeGreaterThan(3);
  });
});

describe('tools, with thinking and its signature', () => {
  const tools = [
    {
      functionDeclarations: [
        {
          name: 'mail',
          description: 'Writes.',
          parameters: { type: Type.OBJECT, properties: { to: { type: Type.STRING } } },
        },
      ],
    },
  ];
  const call = { to: MAIL, n: 1 };

  const calling: Record<string, (form: string) => void> = {
    chat: (form) => {
      const tool_call = {
        id: 'c1',
        type: 'function',
        function: { name: 'mail', arguments: JSON.stringify(call) },
        extra_content: { google: { thought_signature: SIGNATURE } },
      };
      const thought = { role: 'assistant', content: null, reasoning_content: 'I write.' };
      const head = { id: 'x', created: 1, model: 'm-1' };
      const chunk = (delta: object, finish_reason: string | null = null) => ({
        ...head,
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta, finish_reason }],
      });
      const message = { ...thought, tool_calls: [tool_call] };
      const whole = {
        ...head,
        object: 'chat.completion' as const,
        choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
      };
      const streamed = [chunk(thought), chunk({ tool_calls: [{ ...tool_call, index: 0 }] }), chunk({}, 'tool_calls')];
      upstreamOf('chat').respond(form === 'whole' ? answer(whole) : frames(streamed), answer());
    },
    messages: () => {
      const content = [
        { type: 'thinking', thinking: 'I write.', signature: SIGNATURE },
        { type: 'tool_use', id: 'toolu_1', name: 'mail', input: call },
      ];
      upstreamOf('messages').respond(anthropic.answer({ content, stop_reason: 'tool_use' }), anthropic.answer());
    },
    gemini: () => {
      const parts = [
        { text: 'I write.', thought: true },
        { functionCall: { name: 'mail', args: call }, thoughtSignature: SIGNATURE },
      ];
      upstreamOf('gemini').respond(gemini.answer(parts), gemini.answer());
    },
  };

  /** What of the thinking came back to the vendor. */
  const returned: Record<string, () => unknown> = {
    chat: () => lastOf('chat').messages[1].tool_calls[0].extra_content.google.thought_signature,
    messages: () => lastOf('messages').messages[1].content[0],
    gemini: () => lastOf('gemini').contents[1].parts.at(-1).thoughtSignature,
  };
  const expected: Record<string, unknown> = {
    chat: SIGNATURE,
    messages: { type: 'thinking', thinking: 'I write.', signature: SIGNATURE },
    gemini: SIGNATURE,
  };

  it.each(
    ROUTES.flatMap(([name, route]) => [
      [name, route, 'whole'],
      [name, route, 'streamed'],
      [name, `${name}-pii`, 'whole'],
      [name, `${name}-pii`, 'streamed'],
    ]),
  )('%s over the route %s, %s', async (name, model, form) => {
    calling[name]?.(form);
    const contents: Content[] = [{ role: 'user', parts: [{ text: `Write to ${MAIL}.` }] }];
    const config = { tools, thinkingConfig: { includeThoughts: true } };
    const parts: Part[] = [];
    if (form === 'whole') {
      const response = await client().models.generateContent({ model, contents, config });
      parts.push(...(response.candidates?.[0]?.content?.parts ?? []));
    } else {
      const stream = await client().models.generateContentStream({ model, contents, config });
      for await (const chunk of stream) parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
    }
    const called = parts.find(({ functionCall }) => functionCall !== undefined)?.functionCall;
    const isMasked = model.endsWith('-pii');
    expect(called).toMatchObject({ name: 'mail', args: { ...call, to: isMasked ? '<EMAIL_ADDRESS_1>' : MAIL } });
    expect(
      parts
        .filter(({ thought }) => thought)
        .map(({ text }) => text)
        .join(''),
    ).toBe('I write.');
    const result = { ...(called?.id !== undefined && { id: called.id }), name: 'mail', response: { output: 'sent' } };
    const turns: Content[] = [...contents, { role: 'model', parts }, { role: 'user', parts: [{ functionResponse: result }] }];
    await client().models.generateContent({ model, contents: turns, config });
    expect(returned[name]?.()).toEqual(expected[name]);
  });
});

describe('clients of other protocols over a Gemini upstream', () => {
  const thinks = () =>
    gemini.answer([
      { text: 'I write.', thought: true },
      { functionCall: { name: 'mail', args: { n: 1 } }, thoughtSignature: SIGNATURE },
    ]);
  const returned = () => lastOf('gemini').contents.find(({ role }: Content) => role === 'model').parts;
  const signed = (id: string) => [
    { text: 'I write.', thought: true },
    { functionCall: { id, name: 'mail', args: { n: 1 } }, thoughtSignature: SIGNATURE },
  ];

  it.each(['whole', 'streamed'])(
    'the Messages API: thinking comes back with the call that it was signed with, %s',
    async (form) => {
      upstreamOf('gemini').respond(thinks(), gemini.answer());
      const anthropicClient = new Anthropic({ baseURL: gateway.url, apiKey: gateway.key('alice'), maxRetries: 0 });
      const tools: Anthropic.Tool[] = [{ name: 'mail', input_schema: { type: 'object' } }];
      const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Write.' }];
      const asked = { model: 'team/gemini', max_tokens: 99, tools, messages };
      const { content } = await (form === 'whole'
        ? anthropicClient.messages.create(asked)
        : anthropicClient.messages.stream(asked).finalMessage());
      expect(content).toMatchObject([
        { type: 'thinking', thinking: 'I write.' },
        { type: 'tool_use', input: { n: 1 } },
      ]);
      const used = content.find((block) => block.type === 'tool_use');
      messages.push({ role: 'assistant', content });
      messages.push({ role: 'user', content: [{ type: 'tool_result', tool_use_id: used?.id ?? '', content: 'sent' }] });
      await anthropicClient.messages.create(asked);
      expect(returned()).toEqual(signed(used?.id ?? ''));
    },
  );

  it('the chat format, with what Google itself writes there', async () => {
    upstreamOf('gemini').respond(thinks(), gemini.answer());
    const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key('alice'), maxRetries: 0 });
    const tools = [{ type: 'function' as const, function: { name: 'mail', parameters: { type: 'object' } } }];
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Write.' }];
    const { choices } = await openai.chat.completions.create({ model: 'team/gemini', messages, tools });
    const [choice] = choices;
    expect(choice?.finish_reason).toBe('tool_calls');
    const [call] = choice?.message.tool_calls ?? [];
    expect(call).toMatchObject({ extra_content: { google: { thought_signature: SIGNATURE } } });
    if (choice !== undefined) messages.push(choice.message);
    messages.push({ role: 'tool', tool_call_id: call?.id ?? '', content: 'sent' });
    await openai.chat.completions.create({ model: 'team/gemini', messages, tools });
    expect(returned()).toEqual(signed(call?.id ?? ''));
  });
});

describe('structured output', () => {
  it.each(ROUTES)('%s', async (name, model) => {
    const json = '{"name":"Ann"}';
    upstreamOf('chat').respond(...(name === 'chat' ? [answer(json)] : []));
    upstreamOf('messages').respond(
      ...(name === 'messages' ? [anthropic.answer({ content: [{ type: 'text', text: json }] })] : []),
    );
    upstreamOf('gemini').respond(...(name === 'gemini' ? [gemini.answer([{ text: json }])] : []));
    const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
    const response = await client().models.generateContent({
      model,
      contents: 'Who?',
      config: { responseMimeType: 'application/json', responseJsonSchema: schema },
    });
    expect(response.text).toBe(json);
    const asked = {
      chat: () => lastOf('chat').response_format.json_schema.schema,
      messages: () => lastOf('messages').output_config.format.schema,
      gemini: () => lastOf('gemini').generationConfig.responseJsonSchema,
    }[name];
    expect(asked()).toEqual(schema);
  });
});

describe('as the client of a vendor that speaks the same', () => {
  it('passes what nobody knows both ways, and takes out the tools that the route does not list', async () => {
    const parts = [{ text: 'Seen.', notInvented: { at: 12, why: 'x' } }];
    upstreamOf('gemini').respond(gemini.answer(parts, { alsoNew: ['y'] }));
    const asked = {
      contents: [{ role: 'user', parts: [{ text: 'Hi.', futurePart: { a: 'b' } }], futureTurn: 1 }],
      system_instruction: { parts: [{ text: 'Be brief.' }] },
      tools: [
        { googleSearch: {} },
        { functionDeclarations: [{ name: 'f', parameters: { properties: { system_instruction: {} } } }] },
      ],
      futureField: { deep: [null, 'z'] },
    };
    const response = await post('/v1beta/models/team/gemini:generateContent', asked);
    expect(response.headers.get('x-svc-unsupported')).toBe('tools.googleSearch');
    const { system_instruction: systemInstruction, ...rest } = asked;
    expect(lastOf('gemini')).toEqual({ ...rest, systemInstruction, tools: asked.tools.slice(1) });
    expect(upstreamOf('gemini').requests.at(-1)).toMatchObject({
      path: '/v1beta/models/m-1:generateContent',
      headers: { 'x-goog-api-key': 'upstream-key' },
    });
    const [candidate] = Object(await response.json()).candidates;
    expect(candidate).toEqual({ content: { parts, role: 'model' }, finishReason: 'STOP', index: 0, alsoNew: ['y'] });
  });

  it('sends the frames of a stream that nobody guards as they came, but for the head', async () => {
    const parts = [{ text: 'One two three four.' }, { inlineData: { mimeType: 'image/png', data: 'iVBORw0K' } }];
    upstreamOf('gemini').respond(gemini.answer(parts));
    const response = await post('/v1/models/team/gemini:streamGenerateContent?alt=sse', hello);
    const sent = (await response.text()).split('\n\n').flatMap((event) => (event === '' ? [] : [JSON.parse(event.slice(6))]));
    expect(sent.map(({ candidates }) => candidates)).toEqual(
      gemini.framesOf(gemini.answerOf(parts)).map(({ candidates }) => candidates),
    );
    expect(sent.at(-1)).toMatchObject({ svc_run_id: sent[0].responseId, svc_evidence: expect.any(String) });
  });

  it('sends a stream as one JSON array where no events are asked for', async () => {
    const response = await post('/v1beta/models/team/gemini:streamGenerateContent', hello);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const text = Object(await response.json())
      .flatMap((frame: { candidates: Content[] }) => frame.candidates)
      .map(textIn);
    expect(text.join('')).toBe('upstream: Hello.');
  });
});

const hello = { contents: [{ role: 'user', parts: [{ text: 'Hello.' }] }] };
const textIn = (candidate: { content?: Content }): string =>
  (candidate.content?.parts ?? []).map(({ text }) => text ?? '').join('');

function post(path: string, body: unknown, headers: Record<string, string> = { 'x-goog-api-key': gateway.key('alice') }) {
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
  return fetch(gateway.url + path, init);
}

describe('guards', () => {
  it.each(['chat-pii', 'messages-pii', 'gemini-pii'])('mask both ways over %s, however the stream is cut', async (model) => {
    const name = model.slice(0, -4);
    const said = `Ask ${MAIL} or ben@example.org today.`;
    const parts = [{ text: said }];
    upstreamOf('gemini').respond(...(name === 'gemini' ? [gemini.answer(parts)] : []));
    upstreamOf('chat').respond(...(name === 'chat' ? [answer(said)] : []));
    upstreamOf('messages').respond(
      ...(name === 'messages' ? [anthropic.answer({ content: [{ type: 'text', text: said }] })] : []),
    );
    let text = '';
    for await (const chunk of await client().models.generateContentStream({ model, contents: `Who is ${MAIL}?` }))
      text += chunk.text ?? '';
    expect(JSON.stringify(upstreamOf(name).requests.at(-1)?.body)).not.toContain(MAIL);
    expect(text).toMatch(/^Ask <EMAIL_ADDRESS_\d> or <EMAIL_ADDRESS_\d> today\.$/);
  });

  it('stop a request, and the answer says which and why', async () => {
    const before = upstreamOf('gemini').requests.length;
    const response = await client().models.generateContent({ model: 'words', contents: 'It is forbidden.' });
    expect(response.text).toContain('"words"');
    expect(response.candidates?.[0]?.finishReason).toBe('STOP');
    expect(response).toMatchObject({ sdkHttpResponse: { headers: { 'x-svc-run-id': expect.any(String) } } });
    expect(upstreamOf('gemini').requests.length).toBe(before);
  });

  it('stop a stream before the first character of what they found', async () => {
    upstreamOf('gemini').respond(gemini.answer([{ text: 'This is good, and that is forbidden in all.' }]));
    let text = '';
    for await (const chunk of await client().models.generateContentStream({ model: 'words', contents: 'Go.' }))
      text += chunk.text ?? '';
    expect(text).not.toContain('forb');
    expect(text).toContain('"words"');
  });
});

describe('keys and errors', () => {
  it('takes the key from the query, and logs it nowhere', async () => {
    const key = gateway.key('bob');
    const response = await post(`/v1beta/models/chat:generateContent?key=${key}`, hello, {});
    expect(response.status).toBe(200);
    await gateway.logged('request');
    expect(gateway.output).not.toContain(key);
  });

  it.each([
    ['another key', '/v1beta/models/chat:generateContent', { 'x-goog-api-key': 'svc-wrong' }, 401, 'UNAUTHENTICATED'],
    ['no key', '/v1beta/models/chat:generateContent', {}, 401, 'UNAUTHENTICATED'],
    ['an unknown route', '/v1beta/models/nothing:generateContent', undefined, 404, 'NOT_FOUND'],
    ['an unknown method', '/v1beta/models/chat:summon', undefined, 404, 'NOT_FOUND'],
  ])('says of %s what a client of Google reads', async (_what, path, headers, status, word) => {
    const response = await post(path, hello, headers as Record<string, string> | undefined);
    expect(response.status).toBe(status);
    expect(Object(await response.json()).error).toMatchObject({ code: status, status: word, message: expect.any(String) });
  });

  it('says of a failed upstream nothing that it said', async () => {
    upstreamOf('gemini').respond(gemini.failure(429, 'RESOURCE_EXHAUSTED'));
    const failed = await client()
      .models.generateContent({ model: 'team/gemini', contents: 'Hi.' })
      .catch((error: unknown) => error);
    expect(failed).toMatchObject({ status: 429 });
    expect(String(failed)).not.toContain('UPSTREAM-TEXT-MARKER');
  });

  it('refuses a body that is no request', async () => {
    expect((await post('/v1beta/models/chat:generateContent', { contents: 'x' })).status).toBe(400);
    expect((await post('/v1beta/models/chat:generateContent', [1])).status).toBe(400);
  });
});

it.each(['team/gemini', 'gemini-pii'])(
  'a number that a double cannot hold keeps its digits, there and back (route %s)',
  async (route) => {
    const DIGITS = '12345678901234567890';
    const content = `{"role":"model","parts":[{"functionCall":{"name":"find","args":{"id":${DIGITS}}}}]}`;
    upstreamOf('gemini').respond(raw(200, JSON_HEADERS, `{"candidates":[{"content":${content},"finishReason":"STOP"}]}`));
    const response = await fetch(`${gateway.url}/v1beta/models/${route}:generateContent`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-goog-api-key': gateway.key('alice') },
      body: `{"contents":[{"role":"user","parts":[{"text":"Find it."}]},${content},{"role":"user","parts":[{"text":"Again."}]}]}`,
    });
    expect(await response.text()).toContain(`{"id":${DIGITS}}`);
    expect(upstreamOf('gemini').requests.at(-1)?.text).toContain(`{"id":${DIGITS}}`);
  },
);

it.each([
  ['GET', '/v1beta/models'],
  ['GET', '/v1beta/models/chat'],
  ['POST', '/v1beta/cachedContents'],
])('%s %s is 404, with and without a key, and asks for no protocol that is configured already', async (method, path) => {
  for (const principal of ['alice', null]) {
    const { status, body } = await gateway.request(method, path, { principal });
    expect([status, body.code, body.detail.includes('`protocols`')]).toEqual([404, 'SVC-REQ-003', false]);
  }
});

describe('embeddings', () => {
  it('of one text, and of several', async () => {
    upstreamOf('chat').respond(embeddings(), embeddings());
    const one = await post('/v1beta/models/chat:embedContent', { content: { parts: [{ text: 'one' }] } });
    expect(Object(await one.json()).embedding.values.length).toBeGreaterThan(0);
    expect(lastOf('chat').input).toEqual(['one']);
    const requests = ['one', 'two'].map((text) => ({ model: 'models/chat', content: { parts: [{ text }] } }));
    const several = await post('/v1beta/models/chat:batchEmbedContents', { requests });
    expect(Object(await several.json()).embeddings).toHaveLength(2);
  });

  it('name what they do not read', async () => {
    upstreamOf('chat').respond(embeddings());
    const asked = { content: { parts: [{ text: 'one' }] }, taskType: 'CLUSTERING', autoTruncate: true };
    const response = await post('/v1beta/models/chat:embedContent', asked);
    expect(response.headers.get('x-svc-unsupported')?.split(', ').sort()).toEqual(['other', 'taskType']);
    const { body } = await gateway.get(`/v1/runs/${response.headers.get('x-svc-run-id')}`);
    expect(body.events).toContainEqual(
      expect.objectContaining({ event_type: 'unsupported', data: { names: ['taskType', 'other'] } }),
    );
    expect((await post('/v1beta/models/chat:embedContent', { ...asked, outputDimensionality: 'many' })).status).toBe(400);
  });

  const vectors = () => raw(200, JSON_HEADERS, JSON.stringify({ embeddings: [{ values: [0.5, 1] }] }));

  it('name what the provider does not take, at the door of OpenAI, too', async () => {
    upstreamOf('gemini').respond(vectors());
    const response = await gateway.post('/v1/embeddings', { model: 'team/gemini', input: 'one', user: 'ann' });
    expect([response.status, response.headers.get('x-svc-unsupported')]).toEqual([200, 'user']);
    const { body } = await gateway.get(`/v1/runs/${response.headers.get('x-svc-run-id')}`);
    const call = expect.objectContaining({ outcome: 'answered', unsupported: ['user'] });
    expect(body.events).toContainEqual(expect.objectContaining({ event_type: 'provider_call', data: call }));
  });

  it('come from the native provider, too', async () => {
    upstreamOf('gemini').respond(vectors());
    const response = await client().models.embedContent({ model: 'team/gemini', contents: 'one' });
    expect(response.embeddings?.[0]?.values).toEqual([0.5, 1]);
    expect(upstreamOf('gemini').requests.at(-1)?.path).toBe('/v1beta/models/m-1:batchEmbedContents');
  });
});
