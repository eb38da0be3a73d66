import type { ChatCompletionChunk, Guard, ProviderStream } from '@svc/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ALLOW, nodeOf, OpenGateway, PAUSE, type RouteParts } from '../harness/open-gateway.ts';
import { readStream } from '../harness/stream-reader.ts';
import { ofType, routeTo, StreamScene } from '../harness/stream-scene.ts';

const open: { dispose(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.dispose();
});

async function openGateway(parts: RouteParts): Promise<OpenGateway> {
  const gateway = await OpenGateway.start(parts);
  open.push(gateway);
  return gateway;
}

const chunkOf = (content: string, finish_reason: string | null = null): ChatCompletionChunk => ({
  id: 'answer',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm-1',
  choices: [{ index: 0, delta: { content }, finish_reason }],
});

it('a provider that returns its stream without a promise leaves no unhandled rejection', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  let calls = 0;
  const stream = (): unknown => {
    calls += 1;
    return calls === 1 ? { chunks: [], unsupported: [] } : new Promise(() => undefined);
  };
  const gateway = await openGateway({ stream: stream as () => Promise<ProviderStream>, timeout_ms: 100 });
  await gateway.startStreamed('hello', []);
  // The second meets the same deadline, later.
  expect((await gateway.startStreamed('hello', [])).error).toMatchObject({ code: 'SVC-PROV-002' });
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});

it('a provider that opens its stream after it was given up is closed', async () => {
  const leaving = new AbortController();
  const opening = Promise.withResolvers<ProviderStream>();
  let returned = false;
  const gateway = await openGateway({
    stream: () => {
      queueMicrotask(() => leaving.abort());
      return opening.promise;
    },
  });
  await gateway.startStreamed('hello', [], leaving.signal);
  const iterator: AsyncIterator<ChatCompletionChunk> = {
    next: () => new Promise(() => undefined),
    return: async () => {
      returned = true;
      return { done: true, value: undefined };
    },
  };
  opening.resolve({ chunks: { [Symbol.asyncIterator]: () => iterator }, unsupported: [] });
  await new Promise(setImmediate);
  expect(returned).toBe(true);
});

it('a guard gets the end of an answer of which nothing was sent', async () => {
  let finished = 0;
  let signal: AbortSignal | undefined;
  const holding: Partial<Guard> = {
    verdicts: ['allow', 'block'],
    stream: {
      capability: 'window',
      open: (ctx) => {
        signal = ctx.signal;
        return {
          push: () => ({ release: '' }),
          end: () => ({ release: '' }),
          complete: () => ALLOW,
          finish: () => {
            finished += 1;
            return ALLOW;
          },
        };
      },
    },
  };
  async function* breaking(): AsyncGenerator<ChatCompletionChunk> {
    yield chunkOf('text');
    throw new Error('the connection broke');
  }
  const gateway = await openGateway({
    egress: [nodeOf('holding', holding)],
    stream: async () => ({ chunks: breaking(), unsupported: [] }),
  });
  await gateway.startStreamed('hello', []);
  expect({ finished, aborted: signal?.aborted }).toEqual({ finished: 1, aborted: true });
});

it('the verdict of an observing node is recorded unchanged', async () => {
  const pausing: Partial<Guard> = {
    stream: {
      capability: 'window',
      open: () => ({
        push: ({ text }) => ({ release: text }),
        end: () => ({ release: '' }),
        complete: () => PAUSE,
        finish: () => ALLOW,
      }),
    },
  };
  async function* chunks(): AsyncGenerator<ChatCompletionChunk> {
    yield { ...chunkOf('text', 'stop'), note: 'a text that does not flow' };
  }
  const node = { ...nodeOf('pausing', pausing), mode: 'observe' as const };
  const gateway = await openGateway({ egress: [node], stream: async () => ({ chunks: chunks(), unsupported: [] }) });
  const { events } = await gateway.startStreamed('hello', []);
  expect(events.find(({ event_type }) => event_type === 'observed')?.data).toMatchObject({ verdict: 'require_approval' });
});

it('a caller who disconnected before the run began is noticed', async () => {
  const gateway = await openGateway({ stream: () => new Promise(() => undefined), timeout_ms: 200 });
  const { events } = await gateway.startStreamed('hello', [], AbortSignal.abort());
  expect(events.map(({ event_type }) => event_type)).toContain('disconnected');
});

describe('an unusual provider', () => {
  const PLACES = ['nothing', 'usage', 'chunk', 'unsupported', 'chunks'];
  let scene: StreamScene;
  beforeAll(async () => {
    const providers = Object.fromEntries(PLACES.map((odd) => [odd, { type: 'odd', odd }]));
    const routes = Object.fromEntries(PLACES.map((odd) => [odd, routeTo(odd, [])]));
    // A process of its own logs rejections that nobody handles.
    scene = await StreamScene.start({ providers, routes }, { here: false });
  });
  afterAll(() => scene.close());

  // The limit is the assertion: a stream that does not end takes longer.
  it.each(PLACES)('in its %s: the stream ends, and the call is in the evidence', { timeout: 8_000 }, async (odd) => {
    const { run_id } = await readStream(scene.gateway, 'hello', { model: odd, stream_options: { include_usage: true } });
    expect(ofType(await scene.events(run_id), 'provider_call')).toHaveLength(1);
    expect(scene.gateway.output).not.toContain('unhandled_rejection');
  });
});
