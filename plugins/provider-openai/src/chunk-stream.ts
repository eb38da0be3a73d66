import { type CallContext, type ChatCompletionChunk, ProviderError } from '@svc/sdk/plugin';
import { readChunk } from './chunk.ts';
import { type Body, discard } from './client.ts';
import type { Identity } from './common-fields.ts';
import { failureOf, malformed } from './failures.ts';
import { SseParser } from './sse.ts';

/** Most characters of one event. An image in an answer is one event of some megabytes. */
const MAX_EVENT_LENGTH = 16_777_216;

/** Knows from the chunks whether the answer is whole. */
class Progress {
  readonly #open = new Set<number>();
  #begun = false;

  see(chunk: ChatCompletionChunk): void {
    for (const { index, finish_reason } of chunk.choices) {
      this.#begun = true;
      if (finish_reason === null) this.#open.add(index);
      else this.#open.delete(index);
    }
  }

  /** `[DONE]` has come: the upstream says so itself. */
  assertBegun(): void {
    if (!this.#begun) throw malformed('a stream without choices');
  }

  /** The body ended without `[DONE]`, as some servers do; but every choice must have ended. */
  assertEnded(): void {
    if (!this.#begun || this.#open.size > 0) throw new ProviderError('unavailable', { cause: 'a stream that ended early' });
  }
}

async function* readChunks(body: Body, identity: Identity): AsyncGenerator<ChatCompletionChunk, void, void> {
  const parser = new SseParser(MAX_EVENT_LENGTH);
  const progress = new Progress();
  const pieces: AsyncIterable<Uint8Array> = body.iterator({ destroyOnReturn: false });
  for await (const bytes of pieces) {
    for (const event of parser.push(bytes)) {
      if (event.data === '[DONE]') return progress.assertBegun();
      const chunk = readChunk(event, identity);
      progress.see(chunk);
      yield chunk;
    }
  }
  progress.assertEnded();
}

/**
 * The chunks of a streamed answer, read from the connection as they are asked for. `return` closes the connection even while a
 * `next` is waiting for the upstream, which a generator alone would not do.
 */
export class ChunkStream implements AsyncIterableIterator<ChatCompletionChunk> {
  readonly #body: Body;
  readonly #chunks: AsyncGenerator<ChatCompletionChunk, void, void>;
  readonly #signal: AbortSignal;
  #ended = false;

  constructor(body: Body, identity: Identity, context: CallContext) {
    this.#body = body;
    this.#chunks = readChunks(body, identity);
    this.#signal = context.signal;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<ChatCompletionChunk, undefined>> {
    if (this.#ended) return { done: true, value: undefined };
    try {
      this.#signal.throwIfAborted();
      const { value } = await this.#chunks.next();
      if (value !== undefined) return { done: false, value };
      this.#ended = true;
      discard(this.#body);
    } catch (error) {
      this.#body.destroy();
      // Left in the meantime: what the closed connection threw is no news.
      if (!this.#ended) {
        this.#ended = true;
        throw failureOf(error, this.#signal);
      }
    }
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<ChatCompletionChunk, undefined>> {
    if (!this.#ended) this.#body.destroy();
    this.#ended = true;
    return { done: true, value: undefined };
  }
}
