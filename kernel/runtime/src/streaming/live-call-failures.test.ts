import { type ChatCompletionChunk, type Guard, ProviderError } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { ENV, routeOf, runOf } from '../test-parts.ts';
import { callLive } from './live-call.ts';
import { call, streamed } from './test-live-call.ts';
import { chunkOf, endChunk, lineOf, streaming, textChunk, USAGE_CHUNK, wordGuard } from './test-parts.ts';

/** The guard, changed so that it always refuses at the end. */
function finishing(guard: Guard): Guard {
  const refusal = { verdict: 'block' as const, code: 'held', edits: [], findings: [] };
  return streamed(guard, () => ({ finish: () => refusal }));
}

describe('an upstream in trouble', () => {
  it('may be replaced as long as nothing has been sent', async () => {
    const { end, run } = await call(function* () {
      yield chunkOf([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }]);
      throw new ProviderError('unavailable');
    });
    expect(end).toMatchObject({ kind: 'failed', failure: { kind: 'unavailable' }, fallback: true });
    expect(run.spend).toHaveLength(1);
  });

  it('may not be replaced once something was sent; the text that the guards saw is recorded', async () => {
    const { end, run, line } = await call(
      function* () {
        yield textChunk('long enough to leave');
        throw new ProviderError('unavailable');
      },
      [wordGuard('attack', 'block')],
    );
    expect(end).toMatchObject({ kind: 'failed', fallback: false });
    expect(line.tail).toBeNull();
    expect(run.events.map(({ event_type }) => event_type)).toEqual(['provider_call', 'verdict']);
    expect(run.spend[0]?.usage.output_tokens).toBeGreaterThan(0);
  });

  it('breaks off while a guard holds back a violation: none of it is sent, and the failure counts', async () => {
    const { end, line } = await call(
      function* () {
        yield textChunk('long enough to leave, then attac');
        throw new ProviderError('unavailable');
      },
      [finishing(wordGuard('attack', 'block'))],
    );
    expect(end).toMatchObject({ kind: 'failed', failure: { kind: 'unavailable' } });
    expect(line.tail).toBeNull();
  });

  it('breaks off after a late guard would have refused sent text: the violation takes precedence', async () => {
    const { end } = await call(
      function* () {
        yield textChunk('an attack');
        throw new ProviderError('unavailable');
      },
      [wordGuard('attack', 'block', 'post')],
    );
    expect(end).toMatchObject({ kind: 'stopped', stop: { kind: 'blocked', code: 'attack' } });
  });

  it('ends without a finish reason: callers get stop, the record has none', async () => {
    const { line, run } = await call(() => [textChunk('one')]);
    expect(line.tail).toMatchObject([{ choices: [{ finish_reason: 'stop' }] }, { choices: [] }]);
    expect(run.events).toMatchObject([{ data: { outcome: 'answered', finish_reason: null } }]);
  });

  it('writes into unknown fields, and that text is counted', async () => {
    const thinking = chunkOf([{ index: 0, delta: { reasoning: 'a few words of thought' }, finish_reason: null }]);
    const { run } = await call(() => [thinking, endChunk()]);
    expect(run.spend[0]?.usage.output_tokens).toBeGreaterThan(0);
    expect(run.events[0]?.data).toHaveProperty('first_token_ms');
  });

  it.each<[string, unknown]>([
    ['no chunk', { choices: 'none' }],
    ['a choice beyond 128', textChunk('x', 128)],
    ['half a character', textChunk('\ud83d')],
    ['content that is no text', chunkOf([{ index: 0, delta: { content: 7 as never }, finish_reason: null }])],
    ['a tool call without its place', chunkOf([{ index: 0, delta: { tool_calls: [{} as never] }, finish_reason: null }])],
  ])('sends %s', async (_what, chunk) => {
    const { end } = await call(() => [chunk as ChatCompletionChunk]);
    expect(end).toMatchObject({ kind: 'failed', failure: { kind: 'malformed' } });
  });

  it('sends no stream', async () => {
    const provider = { complete: () => Promise.reject(new Error('not used')), stream: async () => ({}) as never };
    const route = routeOf({ provider });
    const [endpoint] = route.endpoints;
    const end = endpoint && (await callLive(runOf(route), endpoint, lineOf(), ENV));
    expect(end).toMatchObject({ kind: 'failed', failure: { kind: 'malformed' }, fallback: true });
  });

  it('sends nothing', async () => {
    expect((await call(() => [USAGE_CHUNK])).end).toMatchObject({ kind: 'failed', failure: { kind: 'malformed' } });
  });

  it('sends slowly without end and is stopped by its deadline', async () => {
    const upstream = streaming(async function* () {
      for (;;) {
        yield textChunk('drip ');
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    });
    const route = routeOf({ provider: upstream.provider, timeout_ms: 60 });
    const [endpoint] = route.endpoints;
    const end = endpoint && (await callLive(runOf(route), endpoint, lineOf(), ENV));
    expect(end).toMatchObject({ kind: 'failed', failure: { kind: 'timeout' }, fallback: false });
  });

  it('ignores its signal, and is abandoned', async () => {
    const hanging = { next: () => new Promise<never>(() => undefined), return: () => new Promise<never>(() => undefined) };
    const provider = {
      complete: () => Promise.reject(new Error('not used')),
      stream: async () => ({ chunks: { [Symbol.asyncIterator]: () => hanging }, unsupported: [] }),
    };
    const route = routeOf({ provider, timeout_ms: 30 });
    const [endpoint] = route.endpoints;
    const end = endpoint && (await callLive(runOf(route), endpoint, lineOf(), ENV));
    expect(end).toMatchObject({ kind: 'failed', failure: { kind: 'timeout' }, fallback: true });
  });
});
