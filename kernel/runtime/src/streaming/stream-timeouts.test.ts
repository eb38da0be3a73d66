import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ChatCompletionChunk } from '@svc/contracts';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ENV, routeOf, runOf } from '../test-parts.ts';
import { callLive } from './live-call.ts';
import { chunkOf, endChunk, lineOf, streaming, textChunk, USAGE_CHUNK } from './test-parts.ts';

const SECOND = 1000;
/** The default timeouts. */
const TIMEOUTS = {
  timeout_ms: 300 * SECOND,
  first_chunk_timeout_ms: 300 * SECOND,
  idle_timeout_ms: 60 * SECOND,
  stream_timeout_ms: 1800 * SECOND,
};

/** A chunk, and the seconds of silence before it. */
type Timed = readonly [seconds: number, chunk: ChatCompletionChunk | typeof BEAT];
/** Bytes that make no chunk, such as a comment. */
const BEAT = 'beat';

const ROLE = chunkOf([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }]);
/** Some servers begin with the result of their content filter. */
const FILTERED = chunkOf([], { prompt_filter_results: [] } as Partial<ChatCompletionChunk>);
const TEXT = textChunk('text');
const CALL = chunkOf([{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '{' } }] }, finish_reason: null }]);
const many = (count: number, ...timed: Timed): Timed[] => Array.from({ length: count }, () => timed);

/** How a call ends if its upstream sends this. The test controls the time. */
async function outcomeOf(sent: readonly Timed[], line = lineOf()) {
  const { provider } = streaming(async function* ({ onBuffered }) {
    for (const [seconds, chunk] of sent) {
      await new Promise((resolve) => setTimeout(resolve, seconds * SECOND));
      if (chunk === BEAT) onBuffered?.(8);
      else yield chunk;
    }
  });
  const route = routeOf({ provider, timeouts: TIMEOUTS });
  const run = runOf(route);
  const [endpoint] = route.endpoints;
  if (endpoint === undefined) throw new Error('no endpoint');
  let reason: unknown;
  const warn = (line: Record<string, unknown>): void => {
    reason = line.reason;
  };
  let isOver = false;
  const called = callLive(run, endpoint, line, { ...ENV, logger: { ...ENV.logger, warn } }).finally(() => {
    isOver = true;
  });
  // Advances to the next timer, with enough turns in between for the work on a chunk.
  while (!isOver) {
    await vi.advanceTimersToNextTimerAsync();
    await nextTurn();
  }
  const end = await called;
  const { outcome, latency_ms } = run.events[0]?.data ?? {};
  return {
    kind: end.kind,
    outcome,
    reason,
    seconds: Number(latency_ms) / SECOND,
    fallback: end.kind === 'failed' && end.fallback,
  };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

it.each<[string, readonly Timed[]]>([
  [
    'thinks before its first chunk',
    [
      [299, TEXT],
      [0, endChunk()],
    ],
  ],
  [
    'thinks after its role',
    [
      [1, ROLE],
      [298, TEXT],
      [0, endChunk()],
    ],
  ],
  [
    'thinks after it has looked at the request',
    [
      [1, FILTERED],
      [298, TEXT],
      [0, endChunk()],
    ],
  ],
  [
    'pauses between chunks',
    [
      [1, TEXT],
      [59, TEXT],
      [59, CALL],
      [59, endChunk()],
      [59, USAGE_CHUNK],
    ],
  ],
  ['beats for ten minutes before it answers', [...many(40, 15, BEAT), [1, TEXT], [0, endChunk()]]],
  ['beats between chunks', [[1, TEXT], ...many(20, 50, BEAT), [50, TEXT], [0, endChunk()]]],
  ['writes for half an hour', [...many(35, 51, TEXT), [0, endChunk()]]],
])('an answer is healthy whose model %s', async (_what, sent) => {
  expect(await outcomeOf(sent)).toMatchObject({ kind: 'answered', outcome: 'answered' });
});

it.each<[string, readonly Timed[], { seconds: number; fallback: boolean; reason: string }]>([
  ['nothing', [[301, TEXT]], { seconds: 300, fallback: true, reason: 'FIRST_CHUNK_TIMEOUT' }],
  [
    'no more than its role',
    [
      [10, ROLE],
      [291, TEXT],
    ],
    { seconds: 300, fallback: true, reason: 'FIRST_CHUNK_TIMEOUT' },
  ],
  ['its role again and again', many(40, 10, ROLE), { seconds: 300, fallback: true, reason: 'FIRST_CHUNK_TIMEOUT' }],
  [
    'nothing after a text',
    [
      [10, TEXT],
      [61, TEXT],
    ],
    { seconds: 70, fallback: false, reason: 'IDLE_TIMEOUT' },
  ],
  [
    'nothing after a late text',
    [
      [290, TEXT],
      [61, TEXT],
    ],
    { seconds: 350, fallback: false, reason: 'IDLE_TIMEOUT' },
  ],
  [
    'nothing after a piece of a call',
    [
      [10, CALL],
      [61, TEXT],
    ],
    { seconds: 70, fallback: false, reason: 'IDLE_TIMEOUT' },
  ],
  [
    'nothing after a beat',
    [
      [200, BEAT],
      [301, TEXT],
    ],
    { seconds: 500, fallback: true, reason: 'FIRST_CHUNK_TIMEOUT' },
  ],
  [
    'nothing after a text and a beat',
    [
      [10, TEXT],
      [50, BEAT],
      [61, TEXT],
    ],
    { seconds: 120, fallback: false, reason: 'IDLE_TIMEOUT' },
  ],
  ['nothing but beats', many(200, 10, BEAT), { seconds: 1800, fallback: true, reason: 'STREAM_TIMEOUT' }],
  ['text for ever', many(40, 50, TEXT), { seconds: 1800, fallback: false, reason: 'STREAM_TIMEOUT' }],
])('a stream that sends %s is abandoned', async (_what, sent, ends) => {
  expect(await outcomeOf(sent)).toMatchObject({ kind: 'failed', outcome: 'timeout', ...ends });
});

it('time in which the reader is slow does not count', async () => {
  const { sink } = lineOf();
  const slow = { ...sink, write: () => new Promise<void>((resolve) => setTimeout(resolve, 120 * SECOND)) };
  const sent: readonly Timed[] = [
    [1, TEXT],
    [59, TEXT],
    [0, endChunk()],
  ];
  expect(await outcomeOf(sent, lineOf({ sink: slow }))).toMatchObject({ kind: 'answered' });
});
