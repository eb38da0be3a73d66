import type { Provider } from '@svc/sdk';
import { behaviours, fakeCallContext } from '@svc/sdk/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { REQUEST, setUp, tearDown } from './provider-fixture.ts';

const { frames } = behaviours;

afterEach(tearDown);

const head = { id: 'e', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'm' };

async function read(provider: Provider): Promise<void> {
  for await (const _ of (await provider.stream(REQUEST, fakeCallContext())).chunks);
}

test('Mistral is not sent stream_options', async () => {
  const { upstream, provider } = await setUp({ preset: 'mistral' });
  await read(provider);
  expect(upstream.requests[0]?.body).not.toHaveProperty('stream_options');
});

describe('an error in mid-stream', () => {
  const begun = { ...head, choices: [{ index: 0, delta: { role: 'assistant', content: 'a' }, finish_reason: null }] };
  test.each([
    [
      'OpenRouter',
      { ...begun, error: { code: 502, message: 'x' }, choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }] },
      502,
    ],
    [
      'a choice of OpenRouter',
      { ...begun, choices: [{ index: 0, delta: {}, finish_reason: 'error', error: { code: 429, message: 'x' } }] },
      429,
    ],
    ['vLLM', { object: 'error', message: 'x', type: 'BadRequestError', code: 400 }, 400],
    ['vLLM of today', { error: { message: 'x', type: 'InternalServerError', param: null, code: 500 } }, 500],
    ['Groq', { error: { message: 'x', type: 'server_error', status_code: 503 } }, 503],
  ])('of %s ends the stream', async (_vendor, frame, status) => {
    const { upstream, provider } = await setUp();
    upstream.respond(frames([begun, frame]));
    await expect(read(provider)).rejects.toMatchObject({ name: 'ProviderError', status });
  });
});
