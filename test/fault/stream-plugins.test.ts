import type { ChatCompletionChunk, Guard, GuardStream, ProviderStream } from '@svc/contracts';
import { afterEach, expect, it } from 'vitest';
import { ALLOW, nodeOf, OpenGateway, PAUSE, type RouteParts } from '../harness/open-gateway.ts';

// What a plugin does wrong in a stream must end its own run in order, and leave nothing behind.

let opened: OpenGateway | undefined;
afterEach(() => opened?.dispose());

async function open(parts: RouteParts): Promise<OpenGateway> {
  opened = await OpenGateway.start(parts);
  return opened;
}

function chunkOf(content: string, finish_reason: string | null = null): ChatCompletionChunk {
  const choices = [{ index: 0, delta: { content }, finish_reason }];
  return { id: 'answer', object: 'chat.completion.chunk', created: 1, model: 'm-1', choices };
}

async function* chunksOf(...contents: string[]): AsyncGenerator<ChatCompletionChunk> {
  for (const content of contents) yield chunkOf(content);
  yield chunkOf('', 'stop');
}

const answering =
  (...contents: string[]) =>
  async (): Promise<ProviderStream> => ({ chunks: chunksOf(...contents), unsupported: [] });

/** A guard that lets all text through, but for what a test wants of it. */
function flowing(stream: Partial<GuardStream> = {}): Partial<Guard> {
  return {
    verdicts: ['allow', 'block'],
    stream: {
      capability: 'window',
      open: () => ({
        push: ({ text }) => ({ release: text }),
        end: () => ({ release: '' }),
        complete: () => ALLOW,
        finish: () => ALLOW,
        ...stream,
      }),
    },
  };
}

it('a guard may be slow', async () => {
  const frames: ChatCompletionChunk[] = [];
  const slow = flowing({ push: async ({ text }) => ({ release: text }), finish: async () => ALLOW });
  const gateway = await open({ egress: [nodeOf('slow', slow)], stream: answering('a', 'b') });
  const { row, tail } = await gateway.startStreamed('hello', frames);
  expect(row.status).toBe('completed');
  expect(frames.map(({ choices }) => choices[0]?.delta.content)).toEqual(['a', 'b']);
  expect(tail).toMatchObject([{ choices: [{ finish_reason: 'stop' }] }, { choices: [] }]);
});

it.each<[string, Partial<GuardStream>, string]>([
  ['throws', { push: () => Promise.reject(new Error('a fault')) }, 'threw'],
  ['releases no text', { push: () => ({ release: 7 as unknown as string }) }, 'invalid'],
  ['releases half of a character', { push: () => ({ release: '\ud83d' }) }, 'invalid'],
  ['gives no step', { push: () => undefined as unknown as { release: string } }, 'invalid'],
  ['hangs', { push: () => new Promise(() => undefined) }, 'timeout'],
  ['stops with a code that is none', { push: () => ({ release: 'x', stop: { code: 'a secret text' } }) }, 'invalid'],
  [
    'edits at the end',
    { finish: () => ({ ...ALLOW, verdict: 'block', edits: [{ segment: 0, start: 0, end: 1, replacement: '' }] }) },
    'invalid',
  ],
  ['pauses at the end, which it did not say', { finish: () => PAUSE }, 'invalid'],
  ['judges nothing at the end', { complete: () => undefined as unknown as typeof ALLOW }, 'invalid'],
])('a guard that %s closes the stream, and this is recorded', async (_what, faulty, failure) => {
  const frames: ChatCompletionChunk[] = [];
  const node = { ...nodeOf('faulty', flowing(faulty)), timeout_ms: 100 };
  const gateway = await open({ egress: [node], stream: answering('text') });
  const { row, events, tail } = await gateway.startStreamed('hello', frames);
  expect(row).toMatchObject({ status: 'blocked', evidence: { seq: 2 } });
  expect(tail).toMatchObject([{ svc_event: expect.stringMatching(/^(stream|late)_violation$/) }]);
  expect(events.find(({ node: name }) => name === 'faulty')?.data).toMatchObject({
    verdict: 'block',
    code: 'SVC-NODE-001',
    failure,
  });
  if ('push' in faulty) expect(frames).toEqual([]);
});

it('a guard whose stream cannot be opened ends the run before the provider is called', async () => {
  let asked = 0;
  const opened = Promise.resolve({}) as unknown as GuardStream;
  const broken: Partial<Guard> = { ...flowing(), stream: { capability: 'window', open: () => opened } };
  const stream = (): Promise<ProviderStream> => {
    asked += 1;
    return answering('text')();
  };
  const gateway = await open({ egress: [nodeOf('broken', broken)], stream });
  const { row } = await gateway.startStreamed('hello', []);
  expect(row.status).toBe('blocked');
  expect(asked).toBe(0);
});

it.each<[string, unknown]>([
  ['nothing', undefined],
  ['a number', 7],
  ['a chunk without choices', { ...chunkOf('x'), choices: undefined }],
  ['a choice without a delta', { ...chunkOf('x'), choices: [{ index: 0, finish_reason: null }] }],
  ['an index that is none', { ...chunkOf('x'), choices: [{ index: -1, delta: {}, finish_reason: null }] }],
  ['half of a character', chunkOf('\ud83d')],
  ['a text that is none', chunkOf(7 as unknown as string)],
  ['a tool call that is none', { ...chunkOf('x'), choices: [{ index: 0, delta: { tool_calls: [null] }, finish_reason: null }] }],
])('a provider whose chunk is %s ends the run with evidence', async (_what, odd) => {
  async function* chunks(): AsyncGenerator<ChatCompletionChunk> {
    yield chunkOf('text');
    yield odd as ChatCompletionChunk;
  }
  const gateway = await open({ stream: async () => ({ chunks: chunks(), unsupported: [] }) });
  const { row, error, events, paid } = await gateway.startStreamed('hello', []);
  expect(row).toMatchObject({ status: 'error', evidence: { seq: 2 } });
  expect(error).toMatchObject({ code: 'SVC-PROV-001' });
  expect(paid).toBe(true);
  expect(events.find(({ event_type }) => event_type === 'provider_call')?.data).toMatchObject({ outcome: 'malformed' });
});

it('a provider that throws anything is unavailable', async () => {
  const gateway = await open({ stream: () => Promise.reject('a text of the upstream') });
  const { error, events } = await gateway.startStreamed('hello', []);
  expect(error).toMatchObject({ code: 'SVC-PROV-001' });
  expect(JSON.stringify(events)).not.toContain('a text of');
});

it('a provider that hangs during its cleanup is not waited for', async () => {
  const stop = { push: () => ({ release: '', stop: { code: 'word' } }) };
  const chunks = (async function* () {
    try {
      yield chunkOf('text');
    } finally {
      await new Promise(() => undefined);
    }
  })();
  const gateway = await open({ egress: [nodeOf('stops', flowing(stop))], stream: async () => ({ chunks, unsupported: [] }) });
  expect((await gateway.startStreamed('hello', [])).row.status).toBe('blocked');
});

it('a disconnected caller ends the run even if the provider ignores its signal', async () => {
  const leaving = new AbortController();
  const deaf = (): Promise<ProviderStream> => {
    queueMicrotask(() => leaving.abort());
    return new Promise(() => undefined);
  };
  const gateway = await open({ stream: deaf });
  const { row, events } = await gateway.startStreamed('hello', [], leaving.signal);
  expect(row.status).toBe('error');
  expect(events.map(({ event_type }) => event_type)).toContain('disconnected');
});
