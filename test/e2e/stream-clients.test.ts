import { createOpenAI } from '@ai-sdk/openai';
import { SvcClient } from '@svc/client';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, type Behaviour, broken, failure, held, SSE_HEADERS, sseFrame } from '../fixtures/upstream.ts';
import { chunk, StreamScene } from '../harness/stream-scene.ts';

let scene: StreamScene;
beforeAll(async () => {
  scene = await StreamScene.start({ server: { keep_alive_ms: 100 } }, { here: false });
});
afterAll(() => scene.close());

const messages = [{ role: 'user' as const, content: 'hello' }];

/** Reads a streamed answer of a route to its end. @returns its text @throws what the client makes of one that breaks off */
type Read = (model: string, fetch: typeof globalThis.fetch) => Promise<string>;

const CLIENTS: readonly (readonly [string, Read])[] = [
  [
    'the official client',
    async (model, fetch) => {
      const baseURL = `${scene.gateway.url}/v1`;
      const client = new OpenAI({ baseURL, apiKey: scene.gateway.key('alice'), maxRetries: 0, fetch });
      let text = '';
      for await (const { choices } of await client.chat.completions.create({ model, messages, stream: true }))
        text += choices[0]?.delta.content ?? '';
      return text;
    },
  ],
  [
    'the AI SDK',
    async (model, fetch) => {
      const baseURL = `${scene.gateway.url}/v1`;
      const provider = createOpenAI({ baseURL, apiKey: scene.gateway.key('alice'), fetch });
      const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hello' }] }];
      const { stream } = await provider.chat(model).doStream({ prompt });
      let text = '';
      for await (const part of stream) {
        if (part.type === 'error') throw new Error('an error part', { cause: part.error });
        if (part.type === 'text-delta') text += part.delta;
      }
      return text;
    },
  ],
  [
    'the client of the SDK',
    async (model, fetch) => {
      const client = new SvcClient({ base_url: scene.gateway.url, key: scene.gateway.key('alice'), fetch });
      return (await client.chatStream({ model, messages })).text();
    },
  ],
];

/** What a client makes of an upstream that says nothing until the gateway has begun its response, with a comment. */
function afterSilence(read: Read, model: string, next: Behaviour): Promise<string> {
  const { behaviour, release } = held(next);
  scene.upstream.respond(behaviour);
  return read(model, async (...asked) => {
    const response = await fetch(...asked);
    expect(response.status).toBe(200);
    release();
    return response;
  });
}

describe.each(CLIENTS)('%s', (_who, read) => {
  it.each(['open', 'whole'])('ignores comments (%s)', async (model) => {
    expect(await afterSilence(read, model, answer('at last'))).toBe('at last');
  });

  it.each(['open', 'whole'])('treats an error frame after comments as an error (%s)', async (model) => {
    await expect(afterSilence(read, model, failure(500))).rejects.toThrow();
  });

  it('treats an error frame after text as an error, not as the end', async () => {
    const text = sseFrame(chunk({ content: 'words that are long enough to leave ' }));
    scene.upstream.respond(broken(text, SSE_HEADERS));
    await expect(read('open', fetch)).rejects.toThrow();
  });
});
