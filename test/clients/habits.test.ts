import { request as httpRequest } from 'node:http';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { generateText, streamText } from 'ai';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, held } from '../fixtures/upstream.ts';
import { routeTo, StreamScene } from '../harness/stream-scene.ts';

let scene: StreamScene;
beforeAll(async () => {
  scene = await StreamScene.start({ server: { keep_alive_ms: 100 }, routes: { 'org/x': routeTo('upstream', []) } });
});
afterAll(() => scene.close());

const key = () => scene.gateway.key('alice');
const base = () => `${scene.gateway.url}/v1`;
const say = (content: string) => [{ role: 'user' as const, content }];

/** A `fetch` that says when a text has come. */
function watching(needle: string) {
  const seen = Promise.withResolvers<void>();
  const watched = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const response = await fetch(input, init);
    let text = '';
    const look = new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, to) {
        text += Buffer.from(bytes).toString('utf8');
        if (text.includes(needle)) seen.resolve();
        to.enqueue(bytes);
      },
    });
    return new Response(response.body?.pipeThrough(look) ?? null, response);
  };
  return { fetch: watched, seen: seen.promise };
}

/** An upstream that answers once the caller was kept alive. */
function silentUntil(seen: Promise<void>): void {
  const upstream = held(answer('at last'));
  scene.upstream.respond(upstream.behaviour);
  void seen.then(upstream.release);
}

describe('a stream is kept alive by events that clients ignore', () => {
  const PING = 'event: ping\ndata: {"type":"ping"}\n\n';
  const KEEP_ALIVE = 'event: keepalive\n';

  it("Anthropic's official client", async () => {
    const { fetch, seen } = watching(PING);
    silentUntil(seen);
    const client = new Anthropic({ baseURL: scene.gateway.url, apiKey: key(), maxRetries: 0, fetch });
    const message = await client.messages.stream({ model: 'open', max_tokens: 9, messages: say('hello') }).finalMessage();
    expect(message.content).toMatchObject([{ type: 'text', text: 'at last' }]);
  });

  it('@ai-sdk/anthropic', async () => {
    const { fetch, seen } = watching(PING);
    silentUntil(seen);
    const model = createAnthropic({ baseURL: base(), apiKey: key(), fetch })('open');
    expect(await streamText({ model, prompt: 'hello', maxRetries: 0 }).text).toBe('at last');
  });

  it("OpenAI's official client, whose helper requires response.created first", async () => {
    const { fetch, seen } = watching(KEEP_ALIVE);
    silentUntil(seen);
    const client = new OpenAI({ baseURL: base(), apiKey: key(), maxRetries: 0, fetch });
    const stream = client.responses.stream({ model: 'open', input: 'hello' });
    const numbers: number[] = [];
    for await (const event of stream) numbers.push(event.sequence_number);
    expect((await stream.finalResponse()).output_text).toBe('at last');
    expect(numbers).toEqual(numbers.map((_, index) => index));
  });

  it('@ai-sdk/openai', async () => {
    const { fetch, seen } = watching(KEEP_ALIVE);
    silentUntil(seen);
    const model = createOpenAI({ baseURL: base(), apiKey: key(), fetch }).responses('open');
    expect(await streamText({ model, prompt: 'hello', maxRetries: 0 }).text).toBe('at last');
  });
});

describe("Anthropic's clients", () => {
  const client = () => new Anthropic({ baseURL: scene.gateway.url, apiKey: key(), maxRetries: 0 });

  it.each([false, true])('read a text without citations (streamed: %s)', async (stream) => {
    scene.upstream.respond(answer('Hello.'));
    const asked = { model: 'open', max_tokens: 9, messages: say('hello'), stream };
    const { text } = await scene.gateway.post('/v1/messages', asked);
    expect(text).toContain('Hello.');
    expect(text).not.toContain('citations');
  });

  it('@ai-sdk/anthropic reads a whole answer', async () => {
    scene.upstream.respond(answer('Hello.'));
    const model = createAnthropic({ baseURL: base(), apiKey: key() })('open');
    expect((await generateText({ model, prompt: 'hello', maxRetries: 0 })).text).toBe('Hello.');
  });

  it('find the request id, also of an error', async () => {
    scene.upstream.respond(answer('Hello.'));
    const message = await client().messages.create({ model: 'open', max_tokens: 9, messages: say('hello') });
    expect(message._request_id).toMatch(/^[\da-f-]{36}$/);
    const error: unknown = await client()
      .messages.create({ model: 'nowhere', max_tokens: 9, messages: say('hello') })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Anthropic.NotFoundError);
    expect(error).toHaveProperty('requestID', expect.stringMatching(/^[\da-f-]{36}$/));
  });

  it('list the models page by page, and read one', async () => {
    const names: string[] = [];
    for await (const { id, type, created_at, display_name } of client().models.list({ limit: 2 })) {
      expect([type, display_name, new Date(created_at).toISOString()]).toEqual(['model', id, expect.stringContaining('T')]);
      names.push(id);
    }
    const { data } = (await scene.gateway.get('/v1/models')).body;
    expect(names).toEqual(data.map(({ id }: { id: string }) => id));
    expect(names).toContain('org/x');
    expect(await client().models.retrieve('org/x')).toMatchObject({ type: 'model', id: 'org/x' });
    await expect(client().models.retrieve('nowhere')).rejects.toBeInstanceOf(Anthropic.NotFoundError);
    await expect(client().models.list({ after_id: 'nowhere' })).rejects.toBeInstanceOf(Anthropic.BadRequestError);
  });

  it('get the input tokens when a message starts', async () => {
    scene.upstream.respond(answer('Hello.'));
    const stream = client().messages.stream({ model: 'open', max_tokens: 9, messages: say('word '.repeat(4_000)) });
    const started = await new Promise<Anthropic.RawMessageStreamEvent>((resolve) => {
      stream.once('streamEvent', resolve);
    });
    const { usage } = (started as Anthropic.RawMessageStartEvent).message;
    expect(usage.input_tokens).toBeGreaterThan(2_000);
    expect(usage.input_tokens).toBeLessThan(8_000);
    await stream.finalMessage();
  });
});

describe('paths', () => {
  it('an x-api-key is accepted on unknown paths, so that the error names the path', async () => {
    const headers = { 'x-api-key': key(), 'anthropic-version': '2023-06-01' };
    const ask = (path: string, more: object = headers) =>
      scene.gateway.request('GET', path, { principal: null, headers: { ...more } });
    expect(await ask('/v1/complete')).toMatchObject({ status: 404, body: { type: 'error', error: { type: 'not_found_error' } } });
    expect(await ask('/v1/complete', { 'x-api-key': `svc-${'0'.repeat(64)}` })).toMatchObject({ status: 401 });
    // No other path takes it.
    expect(await ask('/v1/runs/x')).toMatchObject({ status: 401 });
    const twice = await scene.gateway.request('POST', '/v1/v1/messages', { principal: null, headers, body: {} });
    expect(twice).toMatchObject({ status: 404, body: { code: 'SVC-REQ-003' } });
    expect(twice.body.error?.message).toContain('/v1');
  });

  it.each(['/v1//models', '/v1/models/', '//v1/models//', '/v1/models/?limit=3'])('%s is the list of models', async (path) => {
    expect(await scene.gateway.get(path)).toMatchObject({ status: 200, body: { object: 'list' } });
    expect(await scene.gateway.get(path, null)).toMatchObject({ status: 401 });
  });

  it('a model with a slash is found, encoded or not', async () => {
    for (const path of ['/v1/models/org/x', '/v1/models/org%2Fx', '/v1/models//org/x/'])
      expect(await scene.gateway.get(path)).toMatchObject({ status: 200, body: { id: 'org/x', object: 'model' } });
    expect(await scene.gateway.get('/v1/models/org/y')).toMatchObject({
      status: 404,
      body: { code: 'SVC-ROUTE-001', error: { param: 'model' } },
    });
    const client = new OpenAI({ baseURL: base(), apiKey: key() });
    expect(await client.models.retrieve('org/x')).toMatchObject({ id: 'org/x' });
  });

  it('links to pages of lists use the plain path', async () => {
    const link = (await scene.gateway.get('//v1//audit/?limit=1')).headers.get('link');
    expect(link).toMatch(/^<\/v1\/audit\?/);
  });

  it('a WebSocket with a key is refused with 426', async () => {
    const ask = (authorization?: string) =>
      new Promise<{ status: number | undefined; upgrade: string | undefined }>((resolve, reject) => {
        const headers = {
          connection: 'Upgrade',
          upgrade: 'websocket',
          'sec-websocket-version': '13',
          'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
          ...(authorization === undefined ? {} : { authorization }),
        };
        httpRequest(`${base()}/responses`, { headers, agent: false }, (response) => {
          response.resume();
          resolve({ status: response.statusCode, upgrade: response.headers.upgrade });
        })
          .on('error', reject)
          .end();
      });
    expect(await ask(`Bearer ${key()}`)).toEqual({ status: 426, upgrade: 'HTTP/1.1' });
    expect(await ask()).toMatchObject({ status: 401 });
  });
});

describe('fields of errors and responses', () => {
  it.each<[string, object, string]>([
    ['/v1/chat/completions', { model: 'open', messages: [{ content: 'x' }] }, 'messages[0].role'],
    ['/v1/chat/completions', { model: 'open', messages: 'x' }, 'messages'],
    ['/v1/chat/completions', { model: 'open' }, 'messages'],
    ['/v1/chat/completions', { model: 'nowhere', messages: say('x') }, 'model'],
    ['/v1/chat/completions', { messages: say('x') }, 'model'],
    ['/v1/responses', { model: 'open', input: [{ role: 'user', content: 7 }] }, 'input[0].content'],
    ['/v1/responses', { model: 'open', input: 'x', conversation: 'c' }, 'conversation'],
  ])('%s with %j names the field', async (path, body, param) => {
    expect((await scene.gateway.post(path, body)).body).toMatchObject({ error: { param } });
  });

  it('a response has every field that its schema requires, whole and streamed', async () => {
    const tools = [{ type: 'function', name: 'f', parameters: { type: 'object', properties: {} }, strict: false }];
    const asked = { model: 'open', input: 'hello', instructions: 'Be kind.', tools, tool_choice: 'auto', metadata: { a: 'b' } };
    const repeated = {
      instructions: 'Be kind.',
      tools,
      tool_choice: 'auto',
      metadata: { a: 'b' },
      temperature: null,
      top_p: null,
    };
    scene.upstream.respond(answer('Hello.'), answer('Hello.'));
    const whole = (await scene.gateway.post('/v1/responses', asked)).body;
    const { text } = await scene.gateway.post('/v1/responses', { ...asked, stream: true });
    const events = text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []));
    const responses = [whole, ...events.flatMap(({ response }) => (response === undefined ? [] : [response]))];
    expect(responses).toHaveLength(4);
    for (const response of responses) {
      expect(response).toMatchObject({ ...repeated, error: null, incomplete_details: null, parallel_tool_calls: true });
      expect(response).toMatchObject({ object: 'response', truncation: 'disabled', text: { format: { type: 'text' } } });
    }
    for (const response of [whole, responses.at(-1)]) {
      expect(response.output[0].content).toMatchObject([{ type: 'output_text', annotations: [], logprobs: [] }]);
      expect(response.usage).toMatchObject({
        input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
        output_tokens_details: { reasoning_tokens: 0 },
      });
    }
  });

  it('a response does not repeat long settings', async () => {
    scene.upstream.respond(answer('Hello.'));
    const asked = { model: 'open', input: 'hello', instructions: 'x'.repeat(20_000) };
    expect((await scene.gateway.post('/v1/responses', asked)).body).toMatchObject({ instructions: null, tools: [] });
  });
});
