import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SvcClient } from './client.ts';

const SECOND = 1000;
const ANSWER = 'data: {"choices":[{"index":0,"delta":{"content":"at last"}}]}\n\ndata: [DONE]\n\n';

/** A client with default options, and the server's end of its stream. */
function streamed() {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const fetch = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    init?.signal?.addEventListener('abort', () => void writer.abort(init.signal?.reason));
    return new Response(readable);
  };
  const client = new SvcClient({ base_url: 'http://gateway', fetch: fetch as typeof globalThis.fetch });
  return { client, send: (text: string) => writer.write(new TextEncoder().encode(text)) };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

it('waits as long as comments arrive, and ignores their content', async () => {
  const { client, send } = streamed();
  const text = (await client.chatStream({ model: 'm', messages: [] })).text();
  for (let seconds = 0; seconds < 300; seconds += 15) {
    await vi.advanceTimersByTimeAsync(15 * SECOND);
    await send(': keep-alive\n\n');
  }
  await send(ANSWER);
  expect(await text).toBe('at last');
});

it('gives up after 60 seconds without a sign of life, or after the configured time', async () => {
  for (const timeout_ms of [undefined, 120 * SECOND]) {
    const { client } = streamed();
    const options = timeout_ms === undefined ? {} : { timeout_ms };
    const text = (await client.chatStream({ model: 'm', messages: [] }, options)).text();
    let given_up = false;
    text.catch(() => {
      given_up = true;
    });
    await vi.advanceTimersByTimeAsync((timeout_ms ?? 60 * SECOND) - 1);
    expect(given_up).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await expect(text).rejects.toMatchObject({ name: 'TimeoutError' });
  }
});
