import {
  type CallContext,
  type ChatCompletion,
  type ChatCompletionChunk,
  type ChatRequest,
  type Provider,
  ProviderError,
} from '@svc/contracts';
import { describe, expect, test } from 'vitest';
import { providerConformance } from './conformance.ts';
import { chunksOf, completionOf } from './upstream/behaviours.ts';

function throwIfAborted({ signal }: CallContext): void {
  if (signal.aborted) throw new ProviderError('aborted');
}

function answerTo(request: ChatRequest): ChatCompletion {
  const text = request.messages.map(({ content }) => String(content)).join(' ');
  return completionOf({ ...request, messages: [] }, text.toWellFormed());
}

/** A correct provider that works in memory. */
const good: Provider = {
  async complete(request, context) {
    throwIfAborted(context);
    return { completion: answerTo(request), unsupported: [] };
  },
  async stream(request, context) {
    async function* chunks() {
      for (const chunk of chunksOf(answerTo(request), true)) {
        throwIfAborted(context);
        yield chunk;
      }
    }
    return { chunks: chunks(), unsupported: [] };
  },
};

/** The good provider, with changes to its whole answers. */
function completing(change: (completion: ChatCompletion, request: ChatRequest) => unknown): Provider {
  return {
    ...good,
    async complete(request, context) {
      const answer = await good.complete(request, context);
      change(answer.completion, request);
      return answer;
    },
  };
}

/** The good provider, with changes to its streamed answers. */
function streaming(change: (chunks: ChatCompletionChunk[]) => ChatCompletionChunk[]): Provider {
  return {
    ...good,
    async stream(request, context) {
      const { chunks, unsupported } = await good.stream(request, context);
      const all: ChatCompletionChunk[] = [];
      for await (const chunk of chunks) all.push(chunk);
      async function* changed() {
        for (const chunk of change(all)) {
          throwIfAborted(context);
          yield chunk;
        }
      }
      return { chunks: changed(), unsupported };
    },
  };
}

async function failures(provider: Provider): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, run } of providerConformance({ create: () => provider, model: 'm' })) {
    await run().catch((error: Error) => {
      failed.push(name);
      expect(error.message).toMatch(/expected .+, got .+/s);
    });
  }
  return failed;
}

test('a good provider passes', async () => expect(await failures(good)).toEqual([]));

describe('fails a provider that', () => {
  test.each<[string, RegExp, Provider]>([
    ['answers without choices', /^complete: returns a chat completion/, completing((completion) => completion.choices.splice(0))],
    [
      'answers a wrong object',
      /^complete: returns a chat completion/,
      completing((completion) => Object.assign(completion, { object: 'text' })),
    ],
    [
      'counts in fractions',
      /^complete: returns a chat completion/,
      completing(({ usage }) => Object.assign(usage ?? {}, { total_tokens: 0.5 })),
    ],
    ['changes the request', /^does not change the request/, completing((_completion, request) => request.messages.pop())],
    ['drops n in silence', /^n: /, completing((completion) => completion.choices.splice(1))],
    [
      'answers ill-formed text',
      /well-formed/,
      completing((completion) => Object.assign(completion, { more: [{ deep: 'x\ud83d' }] })),
    ],
    ['streams ill-formed text', /well-formed/, streaming((chunks) => chunks.map((chunk) => ({ ...chunk, id: 'x\ud83d' })))],
    ['streams no usage', /^stream: puts usage/, streaming((chunks) => chunks.slice(0, -1))],
    [
      'streams whole answers',
      /^stream: returns chat completion chunks/,
      streaming((chunks) =>
        chunks.map((chunk) => ({ ...chunk, choices: [{ index: 0, message: {}, finish_reason: null }] }) as never),
      ),
    ],
    [
      'never ends a choice',
      /^stream: returns chat completion chunks/,
      streaming((chunks) => chunks.filter(({ choices }) => choices[0]?.finish_reason !== 'stop')),
    ],
    ['goes on after the end', /^stream: returns chat completion chunks/, streaming((chunks) => [...chunks, ...chunks])],
    [
      'names what was not asked for',
      /^unsupported/,
      { ...good, complete: async (request, context) => ({ ...(await good.complete(request, context)), unsupported: ['seed'] }) },
    ],
    [
      'answers although aborted',
      /^abort: rejects a call whose signal/,
      { ...good, complete: (request, context) => good.complete(request, { ...context, signal: new AbortController().signal }) },
    ],
    [
      'throws something of its own on abort',
      /^abort: rejects the next chunk when aborted during a stream/,
      {
        ...good,
        async stream(request, context) {
          const { chunks, unsupported } = await good.stream(request, { ...context, signal: new AbortController().signal });
          async function* own() {
            for await (const chunk of chunks) {
              context.signal.throwIfAborted();
              yield chunk;
            }
          }
          return { chunks: own(), unsupported };
        },
      },
    ],
    [
      'goes on when it was left',
      /^return: ends a stream that its reader leaves/,
      {
        ...good,
        async stream(request, context) {
          const { chunks, unsupported } = await good.stream(request, context);
          const iterator = chunks[Symbol.asyncIterator]();
          return { chunks: { [Symbol.asyncIterator]: () => ({ next: () => iterator.next() }) }, unsupported };
        },
      },
    ],
    [
      'throws something of its own on a malformed request',
      /^malformed: complete/,
      {
        ...good,
        complete: (request, context) => {
          for (const call of request.messages.flatMap(({ tool_calls }) => tool_calls ?? [])) call.function?.arguments.trim();
          return good.complete(request, context);
        },
      },
    ],
    ['cannot be closed', /^close: /, { ...good, close: () => Promise.reject(new Error('stuck')) }],
  ])('%s', async (_name, expected, provider) => {
    expect(await failures(provider)).toContainEqual(expect.stringMatching(expected));
  });
});

test('a stalled upstream: the case fails on an error of another kind', async () => {
  const provider: Provider = { ...good, complete: () => Promise.reject(new ProviderError('timeout')) };
  const cases = providerConformance({
    create: () => good,
    model: 'm',
    stalled: async () => ({ provider, reached: Promise.resolve() }),
  });
  const stalledComplete = cases.find(({ name }) => name.startsWith('abort: complete rejects at once'));
  await expect(stalledComplete?.run()).rejects.toThrow(/aborted/);
});
