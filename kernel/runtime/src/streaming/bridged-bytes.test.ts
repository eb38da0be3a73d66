import type { AnswerFrame, AnyProvider, Protocol } from '@svc/contracts';
import { BytesInFlight } from '@svc/kernel/admission';
import { CHAT, MESSAGES, RESPONSES } from '@svc/protocols';
import { describe, expect, it } from 'vitest';
import { ENV, routeOf, runOf } from '../test-parts.ts';
import { callLive } from './live-call.ts';
import { lineOf } from './test-parts.ts';

const PIECES = 100;
const PIECE = 'x'.repeat(100);

function chatFrames(): AnswerFrame[] {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    ({
      id: 'c',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta, finish_reason }],
    }) as never;
  return [...Array.from({ length: PIECES }, () => chunk({ content: PIECE })), chunk({}, 'stop')];
}

function responseFrames(): AnswerFrame[] {
  const response = { id: 'r', object: 'response', model: 'm', output: [] };
  const at = { item_id: 'i', output_index: 0, content_index: 0 };
  const item = { id: 'i', type: 'message', role: 'assistant', content: [] };
  const deltas = Array.from({ length: PIECES }, () => ({ type: 'response.output_text.delta', ...at, delta: PIECE }));
  return [
    { type: 'response.created', response },
    { type: 'response.output_item.added', output_index: 0, item },
    ...deltas,
    { type: 'response.completed', response: { ...response, status: 'completed' } },
  ];
}

/** The largest number of bytes in flight when a delta was sent, and how the call ended. */
async function streamed(protocol: Protocol, spoken: Protocol, frames: readonly AnswerFrame[], max: number) {
  const all = new BytesInFlight(max);
  let most = 0;
  const write = (frame: AnswerFrame): undefined => {
    if (JSON.stringify(frame).length < 2 * PIECE.length + 300) most = Math.max(most, all.bytes);
  };
  const provider: AnyProvider = {
    protocols: [spoken.id],
    complete: () => Promise.reject(new Error('not used')),
    stream: async () => ({
      chunks: (async function* () {
        yield* structuredClone([...frames]);
      })(),
      unsupported: [],
    }),
  };
  const route = routeOf({ provider: provider as never });
  const [endpoint] = route.endpoints;
  if (endpoint === undefined) throw new Error('no endpoint');
  const request =
    protocol === RESPONSES ? { model: 'r', input: 'hi' } : { model: 'r', messages: [{ role: 'user', content: 'hi' }] };
  const run = { ...runOf(route), protocol, request, bytes: all.reserve() };
  const end = await callLive(run as never, endpoint, lineOf({ sink: { ready: () => undefined, write } }), ENV);
  return { kind: end.kind, most };
}

describe('the bytes of a streamed answer that a bridge holds', () => {
  it.each([
    ['chat to responses', RESPONSES, CHAT, chatFrames()],
    ['responses to chat', CHAT, RESPONSES, responseFrames()],
    ['responses to messages', MESSAGES, RESPONSES, responseFrames()],
  ])('are counted: %s', async (_name, protocol, spoken, frames) => {
    const { kind, most } = await streamed(protocol, spoken, frames, 1_000_000);
    expect(kind).toBe('answered');
    expect(most).toBeGreaterThan(PIECES * PIECE.length);
    expect((await streamed(protocol, spoken, frames, (PIECES * PIECE.length) / 4)).kind).toBe('stopped');
  });

  it('are zero if it holds nothing', async () => {
    const { kind, most } = await streamed(MESSAGES, CHAT, chatFrames(), 1_000_000);
    expect(kind).toBe('answered');
    expect(most).toBeLessThan(1_000);
  });
});
