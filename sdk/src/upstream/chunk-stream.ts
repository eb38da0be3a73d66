import type { ChatCompletionChunk } from '@svc/kernel/contracts';
import type { Dispatcher } from 'undici';
import { failureOf } from './failures.ts';
import { type SseEvent, SseParser } from './sse.ts';

/** An answer's body, unread. */
export type Body = Dispatcher.ResponseData['body'];

/**
 * Turns the events of a streamed answer into chunks. It returns when the upstream has said that its answer is whole, and throws a
 * {@link ProviderError} when the events end before that.
 */
export type ReadEvents = (events: AsyncIterable<SseEvent>) => AsyncGenerator<ChatCompletionChunk, void, void>;

/** Most characters of one event. An image in an answer is one event of some megabytes. */
const MAX_EVENT_LENGTH = 16_777_216;

/** How long what is left of an answer may take to come in; then its connection is closed. */
export const DISCARD_MS = 1_000;

/** Reads away what is left of a body, so that its connection can be used again. */
export function discard(body: Body): void {
  if (body.closed) return;
  const late = setTimeout(() => body.destroy(), DISCARD_MS);
  body.once('close', () => clearTimeout(late)).resume();
}

async function* eventsOf(body: Body): AsyncGenerator<SseEvent, void, void> {
  const parser = new SseParser(MAX_EVENT_LENGTH);
  const pieces: AsyncIterable<Uint8Array> = body.iterator({ destroyOnReturn: false });
  for await (const bytes of pieces) yield* parser.push(bytes);
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

  constructor(body: Body, read: ReadEvents, signal: AbortSignal) {
    this.#body = body;
    this.#chunks = read(eventsOf(body));
    this.#signal = signal;
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
