import type { LanguageModelV4StreamPart, SharedV4Warning } from '@ai-sdk/provider';
import type { ChatCompletionChunk, Clock, ProviderError } from '@svc/sdk';
import { endedEarly, type Identity } from '@svc/toolkit/upstream';
import type { Call } from '../call/call.ts';
import { failureOfCall } from '../call/failure.ts';
import { StreamedParts } from './streamed-parts.ts';

type Parts = ReadableStream<LanguageModelV4StreamPart>;

/** The chunks of a streamed answer, read from the package on demand. `return` closes the connection even while `next` waits for the upstream. */
export class ChunkStream implements AsyncIterableIterator<ChatCompletionChunk> {
  readonly #reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart>;
  readonly #parts: StreamedParts;
  readonly #call: Call;
  readonly #clock: Clock;
  #unread: LanguageModelV4StreamPart | undefined;
  #chunks: ChatCompletionChunk[] = [];
  #finished = false;
  #ended = false;

  constructor(parts: Parts, identity: Identity, call: Call, clock: Clock) {
    this.#reader = parts.getReader();
    this.#parts = new StreamedParts(identity);
    this.#call = call;
    this.#clock = clock;
    // Ends a waiting read even if the package ignores the signal.
    call.signal.addEventListener('abort', () => this.#cancel(), { once: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** The package's warnings, which come before the first chunk. Call this first, and only once. */
  async warnings(): Promise<readonly SharedV4Warning[]> {
    try {
      const part = await this.#read();
      if (part.type === 'stream-start') return part.warnings;
      this.#unread = part;
      return [];
    } catch (error) {
      throw this.#failed(error);
    }
  }

  async next(): Promise<IteratorResult<ChatCompletionChunk, undefined>> {
    if (this.#ended) return { done: true, value: undefined };
    try {
      this.#call.context.signal.throwIfAborted();
      while (this.#chunks.length === 0 && !this.#finished) {
        const part = await this.#read();
        this.#finished = part.type === 'finish';
        this.#chunks = this.#parts.chunks(part);
      }
    } catch (error) {
      // The error comes from closing the connection.
      if (this.#ended) return { done: true, value: undefined };
      throw this.#failed(error);
    }
    const value = this.#chunks.shift();
    if (value !== undefined && !this.#ended) return { done: false, value };
    this.#leave();
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<ChatCompletionChunk, undefined>> {
    this.#leave();
    return { done: true, value: undefined };
  }

  async #read(): Promise<LanguageModelV4StreamPart> {
    const unread = this.#unread;
    this.#unread = undefined;
    if (unread !== undefined) return unread;
    const { done, value } = await this.#reader.read();
    if (done) throw endedEarly();
    return value;
  }

  #failed(error: unknown): ProviderError {
    const failure = failureOfCall(error, this.#call, this.#clock.now());
    this.#leave();
    return failure;
  }

  #leave(): void {
    this.#ended = true;
    this.#call.leave();
  }

  #cancel(): void {
    this.#reader.cancel().catch(() => undefined);
  }
}
