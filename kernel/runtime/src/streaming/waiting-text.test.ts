import type { ChatCompletionChunk, Guard, GuardStream, GuardStreaming } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { ENV, nodeOf, routeOf, runOf } from '../test-parts.ts';
import { callLive } from './live-call.ts';
import { chunkOf, endChunk, lineOf, streaming, textChunk, textOf, wordGuard } from './test-parts.ts';

const EVENTS = 10_000;

/** A guard that records the texts it was given. */
function watched(): { guard: Guard; pushed: string[] } {
  const guard = wordGuard('secret', 'sanitize');
  const pushed: string[] = [];
  const open: GuardStreaming['open'] = (ctx) => {
    const stream = guard.stream?.open(ctx) as GuardStream;
    return {
      push: (chunk) => {
        pushed.push(chunk.text);
        return stream.push(chunk);
      },
      end: (channel) => stream.end(channel),
      complete: (segments) => stream.complete(segments),
      finish: () => stream.finish(),
    };
  };
  return { guard: { ...guard, stream: { capability: 'window', open } }, pushed };
}

async function call(chunks: Parameters<typeof streaming>[0], guard: Guard, line = lineOf(), mode?: 'observe') {
  const route = routeOf({
    provider: streaming(chunks).provider,
    egress: [{ ...nodeOf('node', guard), ...(mode === undefined ? {} : { mode }) }],
  });
  const [endpoint] = route.endpoints;
  if (endpoint === undefined) throw new Error('no endpoint');
  return { end: await callLive(runOf(route), endpoint, line, ENV), line };
}

const FIELDS = ['content', 'reasoning_content', 'refusal'] as const;
const SHAPES: readonly [string, number, (n: number) => ChatCompletionChunk][] = [
  ['of one text', 1, () => textChunk('a')],
  ['of many choices by turns', 16, (n) => textChunk('a', n % 16)],
  ['of the fields by turns', 3, (n) => chunkOf([{ index: 0, delta: { [FIELDS[n % 3] ?? '']: 'a' }, finish_reason: null }])],
  [
    'with other fields by turns',
    1,
    (n) => chunkOf([{ index: 0, delta: { content: 'a', [`field_${n % 7}`]: n }, finish_reason: n % 2 ? null : 'stop' }]),
  ],
];

describe('small events that arrive together', () => {
  it.each(SHAPES)('%s cost a guard one check for many events', async (_name, channels, chunk) => {
    const { guard, pushed } = watched();
    const chunks = [...Array.from({ length: EVENTS }, (_, n) => chunk(n)), endChunk()];
    const { end } = await call(() => chunks, guard);
    expect(end).toEqual({ kind: 'answered' });
    expect(pushed.join('')).toHaveLength(EVENTS);
    expect(pushed.length).toBeLessThanOrEqual(EVENTS / 50 + channels);
  });

  it('cost an observing guard no more, and are sent as received', async () => {
    const { guard, pushed } = watched();
    const chunks = [...Array.from({ length: EVENTS }, () => textChunk('a')), endChunk()];
    const { line } = await call(() => chunks, guard, lineOf(), 'observe');
    expect(line.frames).toHaveLength(EVENTS);
    expect(pushed.join('')).toHaveLength(EVENTS);
    expect(pushed.length).toBeLessThanOrEqual(EVENTS / 50 + 1);
  });
});

it('events are sent as received if a guard changes and holds back nothing, otherwise together', async () => {
  const chunks = () => [...Array.from({ length: 20 }, (_, n) => textChunk(`${n} `)), endChunk()];
  const same = await call(chunks, wordGuard('absent', 'sanitize', 'post'));
  expect(same.line.frames.map((frame) => textOf([frame]))).toEqual(Array.from({ length: 20 }, (_, n) => `${n} `));
  const masked = await call(chunks, wordGuard('7 ', 'sanitize'));
  expect(masked.line.frames).toHaveLength(2);
});

it('text that arrives alone is sent before more arrives', async () => {
  const left = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { guard } = watched();
  const line = lineOf();
  line.sink.write = (frame) => {
    line.frames.push(frame as ChatCompletionChunk);
    left[line.frames.length - 1]?.resolve();
    return undefined;
  };
  async function* alone(): AsyncGenerator<ChatCompletionChunk> {
    yield textChunk('one, and two. ');
    await left[0]?.promise;
    yield textChunk('three, and four. ');
    await left[1]?.promise;
    yield endChunk();
  }
  await call(alone, guard, line);
  expect(textOf(line.frames)).toBe('one, and two. three, and four. ');
});
