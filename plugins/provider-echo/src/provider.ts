import { setImmediate, setTimeout } from 'node:timers/promises';
import { type CallContext, type ChatCompletionChunk, type ChatRequest, type Clock, type Provider, ProviderError } from '@svc/sdk';
import type { ChatChunkChoice } from '@svc/sdk/provider';
import { type Reply, replyTo } from './reply.ts';

function throwIfAborted({ signal }: CallContext): void {
  if (signal.aborted) throw new ProviderError('aborted');
}

function* choiceChunks(reply: Reply): Generator<ChatChunkChoice> {
  for (let index = 0; index < reply.choices; index += 1) {
    yield { index, delta: { role: 'assistant', content: '' }, finish_reason: null };
    for (const content of reply.words) yield { index, delta: { content }, finish_reason: null };
    yield { index, delta: {}, finish_reason: reply.finish_reason };
  }
}

/**
 * A provider that repeats the question. It has no upstream and no state, and always gives the same answer.
 * @param words_per_second speed of a stream; null: no delay
 */
export function echoProvider(clock: Clock, words_per_second: number | null): Provider {
  // Without a delay, the stream still yields to the event loop between words, so that a long question does not block it.
  const pause =
    words_per_second === null
      ? () => setImmediate()
      : ({ signal }: CallContext) => setTimeout(1000 / words_per_second, undefined, { signal }).catch(() => undefined);

  const headOf = (request: ChatRequest, context: CallContext) => ({
    id: `chatcmpl-${context.run_id}`,
    created: Math.floor(clock.now() / 1000),
    model: request.model,
  });

  async function* chunksOf(reply: Reply, request: ChatRequest, context: CallContext): AsyncGenerator<ChatCompletionChunk, void> {
    const head = { ...headOf(request, context), object: 'chat.completion.chunk' as const };
    for (const choice of choiceChunks(reply)) {
      throwIfAborted(context);
      yield { ...head, choices: [choice], usage: null };
      await pause(context);
    }
    throwIfAborted(context);
    yield { ...head, choices: [], usage: reply.usage };
  }

  return {
    async complete(request, context) {
      throwIfAborted(context);
      const reply = replyTo(request);
      const content = reply.words.join('');
      const choices = Array.from({ length: reply.choices }, (_, index) => ({
        index,
        message: { role: 'assistant', content },
        finish_reason: reply.finish_reason,
      }));
      const completion = { ...headOf(request, context), object: 'chat.completion' as const, choices, usage: reply.usage };
      return { completion, unsupported: reply.unsupported };
    },

    async stream(request, context) {
      throwIfAborted(context);
      const reply = replyTo(request);
      return { chunks: chunksOf(reply, request, context), unsupported: reply.unsupported };
    },
  };
}
