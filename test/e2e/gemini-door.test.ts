import type { Content } from '@google/genai';
import { anthropic, gemini } from '@svc/sdk/testing';
import { describe, expect, it } from 'vitest';
import { answer, embeddings, JSON_HEADERS, raw } from '../fixtures/upstream.ts';
import { GeminiScene, MAIL } from './gemini-scene.ts';

const scene = new GeminiScene();
const { upstreamOf, lastOf, client } = scene;

const hello = { contents: [{ role: 'user', parts: [{ text: 'Hello.' }] }] };
const textIn = (candidate: { content?: Content }): string =>
  (candidate.content?.parts ?? []).map(({ text }) => text ?? '').join('');

function post(path: string, body: unknown, headers: Record<string, string> = { 'x-goog-api-key': scene.gateway.key('alice') }) {
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
  return fetch(scene.gateway.url + path, init);
}

describe('with a vendor that uses the same protocol', () => {
  it('passes unknown fields in both directions, and removes tools that the route does not list', async () => {
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

  it('sends the frames of an unguarded stream unchanged, except the head', async () => {
    const parts = [{ text: 'One two three four.' }, { inlineData: { mimeType: 'image/png', data: 'iVBORw0K' } }];
    upstreamOf('gemini').respond(gemini.answer(parts));
    const response = await post('/v1/models/team/gemini:streamGenerateContent?alt=sse', hello);
    const sent = (await response.text()).split('\n\n').flatMap((event) => (event === '' ? [] : [JSON.parse(event.slice(6))]));
    expect(sent.map(({ candidates }) => candidates)).toEqual(
      gemini.framesOf(gemini.answerOf(parts)).map(({ candidates }) => candidates),
    );
    expect(sent.at(-1)).toMatchObject({ svc_run_id: sent[0].responseId, svc_evidence: expect.any(String) });
  });

  it('sends a stream as one JSON array unless events are requested', async () => {
    const response = await post('/v1beta/models/team/gemini:streamGenerateContent', hello);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const text = Object(await response.json())
      .flatMap((frame: { candidates: Content[] }) => frame.candidates)
      .map(textIn);
    expect(text.join('')).toBe('upstream: Hello.');
  });
});

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

  it('stop a request, and the answer names the guard and the reason', async () => {
    const before = upstreamOf('gemini').requests.length;
    const response = await client().models.generateContent({ model: 'words', contents: 'It is forbidden.' });
    expect(response.text).toContain('"words"');
    expect(response.candidates?.[0]?.finishReason).toBe('STOP');
    expect(response).toMatchObject({ sdkHttpResponse: { headers: { 'x-svc-run-id': expect.any(String) } } });
    expect(upstreamOf('gemini').requests.length).toBe(before);
  });

  it('stop a stream before the first character of a finding', async () => {
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
    const key = scene.gateway.key('bob');
    const response = await post(`/v1beta/models/chat:generateContent?key=${key}`, hello, {});
    expect(response.status).toBe(200);
    await scene.gateway.logged('request');
    expect(scene.gateway.output).not.toContain(key);
  });

  it.each([
    ['another key', '/v1beta/models/chat:generateContent', { 'x-goog-api-key': 'svc-wrong' }, 401, 'UNAUTHENTICATED'],
    ['no key', '/v1beta/models/chat:generateContent', {}, 401, 'UNAUTHENTICATED'],
    ['an unknown route', '/v1beta/models/nothing:generateContent', undefined, 404, 'NOT_FOUND'],
    ['an unknown method', '/v1beta/models/chat:summon', undefined, 404, 'NOT_FOUND'],
  ])("reports %s in the form that Google's clients read", async (_what, path, headers, status, word) => {
    const response = await post(path, hello, headers as Record<string, string> | undefined);
    expect(response.status).toBe(status);
    expect(Object(await response.json()).error).toMatchObject({ code: status, status: word, message: expect.any(String) });
  });

  it('does not repeat the text of a failed upstream', async () => {
    upstreamOf('gemini').respond(gemini.failure(429, 'RESOURCE_EXHAUSTED'));
    const failed = await client()
      .models.generateContent({ model: 'team/gemini', contents: 'Hi.' })
      .catch((error: unknown) => error);
    expect(failed).toMatchObject({ status: 429 });
    expect(String(failed)).not.toContain('UPSTREAM-TEXT-MARKER');
  });

  it('refuses a body that is not a request', async () => {
    expect((await post('/v1beta/models/chat:generateContent', { contents: 'x' })).status).toBe(400);
    expect((await post('/v1beta/models/chat:generateContent', [1])).status).toBe(400);
  });
});

it.each(['team/gemini', 'gemini-pii'])(
  'a number that a double cannot hold keeps its digits in both directions (route %s)',
  async (route) => {
    const DIGITS = '12345678901234567890';
    const content = `{"role":"model","parts":[{"functionCall":{"name":"find","args":{"id":${DIGITS}}}}]}`;
    upstreamOf('gemini').respond(raw(200, JSON_HEADERS, `{"candidates":[{"content":${content},"finishReason":"STOP"}]}`));
    const response = await fetch(`${scene.gateway.url}/v1beta/models/${route}:generateContent`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-goog-api-key': scene.gateway.key('alice') },
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
    const { status, body } = await scene.gateway.request(method, path, { principal });
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

  it('name the fields that they do not read', async () => {
    upstreamOf('chat').respond(embeddings());
    const asked = { content: { parts: [{ text: 'one' }] }, taskType: 'CLUSTERING', autoTruncate: true };
    const response = await post('/v1beta/models/chat:embedContent', asked);
    expect(response.headers.get('x-svc-unsupported')?.split(', ').sort()).toEqual(['other', 'taskType']);
    const { body } = await scene.gateway.get(`/v1/runs/${response.headers.get('x-svc-run-id')}`);
    expect(body.events).toContainEqual(
      expect.objectContaining({ event_type: 'unsupported', data: { names: ['taskType', 'other'] } }),
    );
    expect((await post('/v1beta/models/chat:embedContent', { ...asked, outputDimensionality: 'many' })).status).toBe(400);
  });

  const vectors = () => raw(200, JSON_HEADERS, JSON.stringify({ embeddings: [{ values: [0.5, 1] }] }));

  it("name the fields that the provider does not accept, also in OpenAI's API", async () => {
    upstreamOf('gemini').respond(vectors());
    const response = await scene.gateway.post('/v1/embeddings', { model: 'team/gemini', input: 'one', user: 'ann' });
    expect([response.status, response.headers.get('x-svc-unsupported')]).toEqual([200, 'user']);
    const { body } = await scene.gateway.get(`/v1/runs/${response.headers.get('x-svc-run-id')}`);
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
