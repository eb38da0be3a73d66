import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { answer, completionOf, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { TestGateway } from '../harness/gateway.ts';
import { readStream, textOf } from '../harness/stream-reader.ts';

let upstream: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  const mark = { name: 'mark', match: 'LEAKMARK' };
  const route = (ingress: string[], egress: string[], provider = 'openai'): JsonObject => ({
    provider,
    model: 'm-1',
    pipeline: { ingress, egress },
  });
  gateway = await TestGateway.start({
    here: true,
    config: {
      providers: {
        openai: { type: 'openai', base_url: upstream.url, region: 'eu' },
        anthropic: { type: 'anthropic', base_url: upstream.url, api_key: 'k', region: 'eu' },
      },
      packs: {
        mask: { type: 'rules', stream: 'buffer', rules: [{ ...mark, verdict: 'sanitize' }] },
        stop: { type: 'rules', stream: 'buffer', rules: [{ ...mark, verdict: 'block' }] },
      },
      routes: {
        default: route([], ['mask']),
        stopped: route([], ['stop']),
        asked: route(['stop'], [], 'anthropic'),
      },
    },
  });
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});

const parts = (...texts: string[]): JsonObject[] => texts.map((text) => ({ type: 'text', text }));

/** The upstream answers whole, in parts. */
function says(...texts: string[]): void {
  const { choices, ...rest } = completionOf({ model: 'm-1' }, '') as unknown as { choices: JsonObject[] };
  const message = { role: 'assistant', content: parts(...texts) };
  upstream.respond(answer({ ...rest, choices: [{ ...choices[0], message }] } as never));
}

it('parts of an answer that are sent as one delta are judged as one text', async () => {
  says('a LEAK', 'MARK b');
  const { body } = await gateway.chat('hi', { model: 'default' });
  expect(body.choices[0].message.content).toEqual(parts('a <MARK>', ' b'));
  says('a LEAK', 'MARK b');
  const { frames } = await readStream(gateway, 'hi', { model: 'default' });
  expect(textOf(frames)).toBe('a <MARK> b');
  says('a LEAK', 'MARK b');
  expect((await readStream(gateway, 'hi', { model: 'stopped' })).raw).not.toContain('LEAK');
});

it.each([
  ['parts of one message', [{ role: 'user', content: parts('LEAK', 'MARK') }]],
  [
    'instructions',
    [
      { role: 'system', content: 'LEAK' },
      { role: 'user', content: 'hi' },
      { role: 'developer', content: 'MARK' },
    ],
  ],
  [
    'messages of one turn',
    [
      { role: 'user', content: 'LEAK' },
      { role: 'assistant', content: '' },
      { role: 'user', content: 'MARK' },
    ],
  ],
  [
    'a text and a refusal',
    [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'LEAK', refusal: 'MARK' },
      { role: 'user', content: 'b' },
    ],
  ],
])('texts that a provider joins are judged as one: %s', async (_, messages) => {
  const before = upstream.requests.length;
  const { body } = await gateway.post('/v1/chat/completions', { model: 'asked', messages });
  expect(body.choices[0].finish_reason).toBe('content_filter');
  expect(upstream.requests).toHaveLength(before);
});
