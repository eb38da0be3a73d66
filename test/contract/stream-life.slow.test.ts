import { setInterval as every } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Behaviour, SSE_HEADERS, sseFrame, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { TestGateway } from '../harness/gateway.ts';
import { endingsOf, StreamReader, textOf } from '../harness/stream-reader.ts';
import { chunk } from '../harness/stream-scene.ts';

/** The silence that is allowed, and the pace of a model that thinks for twice as long. */
const SILENCE_MS = 1_000;
const BEAT_MS = 150;
const BEATS = 10;

let upstream: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  // Many ask at a time: the kind of the beats stands in the request.
  upstream = await startUpstream((request, response) => {
    const [, beat = ''] = KINDS.find(([kind]) => request.text.includes(kind)) ?? [];
    const api = /(responses|messages)$/.exec(request.path)?.[1] ?? 'chat';
    return beating(beat, ANSWERS[api] ?? [])(request, response);
  });
  const provider = { base_url: upstream.url, first_chunk_timeout_ms: SILENCE_MS, idle_timeout_ms: SILENCE_MS };
  gateway = await TestGateway.start({
    here: true,
    config: {
      server: { keep_alive_ms: 100 },
      providers: {
        chat: { type: 'openai', ...provider },
        responses: { type: 'openai', api: 'responses', ...provider },
        messages: { type: 'anthropic', ...provider },
        short: { type: 'openai', ...provider, stream_timeout_ms: SILENCE_MS },
      },
      routes: Object.fromEntries(
        ['chat', 'responses', 'messages', 'short'].map((name) => [name, { provider: name, model: 'm-1' }]),
      ),
    },
  });
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});

/** Sends beats at its pace, before its answer and in the middle of it. */
function beating(beat: string, [first, ...rest]: readonly object[]): Behaviour {
  return async (request, response) => {
    response.writeHead(200, SSE_HEADERS);
    const typed = (frame: object): string => ('type' in frame ? `event: ${frame.type}\n` : '') + sseFrame(frame);
    const left = [first, ...rest].map((frame) => typed(Object(frame)));
    let beats = 0;
    for await (const _ of every(BEAT_MS)) {
      if (response.destroyed) return;
      response.write(beat);
      beats += 1;
      if (beats === BEATS) response.write(left.splice(0, 2).join(''));
      if (beats < 2 * BEATS) continue;
      response.end(left.join(''));
      return;
    }
    await request.disconnected;
  };
}

const head = { id: 'x', object: 'response', model: 'm-1', created_at: 1 };
const item = (text: string, status: string) => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status,
  content: text === '' ? [] : [{ type: 'output_text', text, annotations: [] }],
});
const said = { output_index: 0, content_index: 0, item_id: 'msg_1' };
const ANSWERS: Readonly<Record<string, readonly object[]>> = {
  chat: [
    chunk({ role: 'assistant', content: '' }),
    chunk({ content: 'at ' }),
    chunk({ content: 'last' }, { finish_reason: 'stop' }),
  ],
  responses: [
    { type: 'response.output_item.added', output_index: 0, item: item('', 'in_progress') },
    { type: 'response.output_text.delta', ...said, delta: 'at ' },
    { type: 'response.output_text.delta', ...said, delta: 'last' },
    { type: 'response.completed', response: { ...head, status: 'completed', output: [item('at last', 'completed')] } },
  ],
  messages: [
    { type: 'message_start', message: { id: 'x', type: 'message', role: 'assistant', model: 'm-1', content: [] } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'at ' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'last' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ],
};

const KINDS = [
  ['comments', ': ping\n\n'],
  ['empty events', 'data: {}\n\n'],
  ['typed pings', 'event: ping\ndata: {"type":"ping"}\n\n'],
  ['bare words', 'event: heartbeat\ndata: alive\n\n'],
  ['empty lines', '\n\n'],
] as const;

describe.concurrent.each(Object.keys(ANSWERS))('on a server of %s, a model that thinks for a long time', (model) => {
  it.each(KINDS)('may answer if it sends %s as a sign of life', async (kind) => {
    const reader = await StreamReader.ask(gateway, kind, { model });
    const frames = await reader.rest();
    expect(textOf(frames)).toBe('at last');
    expect(endingsOf(frames)).toEqual([[0, 'stop']]);
    // The caller's own connection has its beats, too.
    expect(reader.raw.startsWith(': keep-alive')).toBe(true);
    expect(reader.raw).not.toContain('ping');
  });
});

it('is still ended at the limit of the whole stream', async () => {
  const reader = await StreamReader.ask(gateway, 'comments', { model: 'short' });
  expect(await reader.rest()).toMatchObject([{ error: { code: 'SVC-PROV-002' } }]);
});
