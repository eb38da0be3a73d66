import type { ChatChunkChoice, ChatCompletionChunk } from '@svc/contracts';
import { BytesInFlight } from '@svc/kernel/admission';
import { describe, expect, it } from 'vitest';
import { ENV, nodeOf, routeOf, runOf } from '../test-parts.ts';
import { callLive } from './live-call.ts';
import { call } from './test-live-call.ts';
import { chunkOf, endChunk, lineOf, streaming, textChunk, textOf, USAGE, USAGE_CHUNK, wordGuard } from './test-parts.ts';

const delta = (said: ChatChunkChoice['delta'], fields: object = {}): ChatCompletionChunk =>
  chunkOf([{ index: 0, delta: said, finish_reason: null, ...fields }]);

/** Everything that the caller receives, in order. */
async function left(chunks: ChatCompletionChunk[], guards = [wordGuard('secret', 'sanitize')]): Promise<ChatCompletionChunk[]> {
  const { end, line } = await call(() => structuredClone(chunks), guards);
  expect(end).toEqual({ kind: 'answered' });
  return [...line.frames, ...((line.tail ?? []) as ChatCompletionChunk[])];
}

describe('what follows the end of a choice', () => {
  it('is sent after it, as received', async () => {
    const usage = { ...delta({ role: 'assistant', content: '' }), usage: USAGE };
    const filtered = delta({}, { content_filter_offsets: { check_offset: 7 } });
    const chunks = [textChunk('one'), endChunk(), filtered, usage];
    for (const guards of [[], [wordGuard('secret', 'sanitize')]]) {
      const frames = await left(chunks, guards);
      expect(frames.slice(-3).map(({ choices, usage }) => ({ choices, usage }))).toEqual(
        chunks.slice(-3).map(({ choices, usage }) => ({ choices, usage })),
      );
    }
  });

  it('is sent in order of arrival, although the end also has a text', async () => {
    const end = chunkOf([{ index: 0, delta: { content: 'two ' }, finish_reason: 'stop' }]);
    const chunks = [textChunk('one '), end, textChunk('three sec'), textChunk('ret '), textChunk('four'), USAGE_CHUNK];
    expect(textOf(await left(chunks, []))).toBe('one two three secret four');
    expect(textOf(await left(chunks))).toBe('one two three <MASKED> four');
  });

  it('does not wait while another choice continues', async () => {
    const { line } = await call(() => [textChunk('one'), textChunk('two', 1), endChunk(), textChunk('more', 1), endChunk(1)]);
    expect(textOf(line.frames, 1)).toBe('twomore');
  });

  it('is a failure of the provider if it exceeds the limits of an answer', async () => {
    const piece = () => delta({ novel: { list: Array.from({ length: 60_000 }, () => 0) } });
    const chunks = [textChunk('one'), { ...endChunk(), usage: USAGE }, piece(), piece()];
    const { end } = await call(() => chunks, [wordGuard('secret', 'sanitize')]);
    expect(end).toMatchObject({ kind: 'failed', failure: { kind: 'malformed' } });
  });
});

it('parts that an observing guard could not see are listed as unread, and the answer is sent', async () => {
  const much = () => delta({ novel: { list: Array.from({ length: 60_000 }, () => 0) } });
  const watching = nodeOf('watching', wordGuard('secret', 'block'), { mode: 'observe' });
  const route = routeOf({
    provider: streaming(() => [textChunk('one'), much(), much(), endChunk()]).provider,
    egress: [watching],
  });
  const [run, line, [endpoint]] = [runOf(route), lineOf(), route.endpoints];
  expect(endpoint && (await callLive(run, endpoint, line, ENV))).toEqual({ kind: 'answered' });
  expect(textOf(line.frames)).toBe('one');
  const observed = run.events.find(({ event_type }) => event_type === 'observed');
  expect(observed?.data.scanned).toMatchObject({ skipped: [{ path: 'other', why: 'opaque' }] });
});

it('an end that the provider does not send also needs room', async () => {
  const { provider } = streaming(() => [textChunk('one')]);
  const route = routeOf({ provider });
  const [endpoint] = route.endpoints;
  const run = { ...runOf(route), bytes: new BytesInFlight(100).reserve() };
  expect(endpoint && (await callLive(run as never, endpoint, lineOf(), ENV))).toMatchObject({ kind: 'stopped' });
});

it('a guard that judges at the end keeps only the characters of text that was sent', async () => {
  const all = new BytesInFlight(1_000_000);
  let most = 0;
  const write = (): undefined => {
    most = Math.max(most, all.bytes);
  };
  const { provider } = streaming(() => [...Array.from({ length: 500 }, () => textChunk('a')), endChunk()]);
  const route = routeOf({ provider, egress: [nodeOf('late', wordGuard('secret', 'block', 'post'))] });
  const [endpoint] = route.endpoints;
  const run = { ...runOf(route), bytes: all.reserve() };
  await (endpoint && callLive(run as never, endpoint, lineOf({ sink: { ready: () => undefined, write } }), ENV));
  expect(most).toBeLessThan(5_000);
});
