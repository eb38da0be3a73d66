import { type AnswerFrame, type CallContext, type ChatCompletionChunk, nextTurn } from '@svc/contracts';
import { countEvent, isLarge } from './count-event.ts';
import { failureOf } from './failures.ts';
import type { IncomingBody } from './incoming-body.ts';
import { type SseEvent, SseParser } from './sse.ts';

/**
 * Turns the events of a streamed answer into chunks. It returns when the upstream has said that its answer is whole, and throws a
 * {@link ProviderError} when the events end before that.
 */
export type ReadEvents<Frame extends AnswerFrame = ChatCompletionChunk> = (
  events: AsyncIterable<SseEvent>,
) => AsyncGenerator<Frame, void, void>;

/** Most characters of one event. An image in an answer is one event of some megabytes. */
const MAX_EVENT_LENGTH = 8_388_608;

/** The events of a body, read as they are asked for. No generator: it would hold more, and take more turns for each event. */
class Events implements AsyncIterableIterator<SseEvent, undefined> {
  readonly #parser = new SseParser(MAX_EVENT_LENGTH);
  readonly #body: IncomingBody;
  readonly #onBuffered: CallContext['onBuffered'];
  #events: SseEvent[] = [];
  /** Whether the event that was read last is large. */
  isLarge = false;

  constructor(body: IncomingBody, onBuffered: CallContext['onBuffered']) {
    this.#body = body;
    this.#onBuffered = onBuffered;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<SseEvent, undefined>> {
    let event = this.#events.shift();
    // Of an event that is still to be completed; those that were taken are not held here any more.
    let buffered = 0;
    while (event === undefined) {
      const bytes = await this.#body.next();
      if (bytes === null) return { done: true, value: undefined };
      buffered += bytes.length;
      this.#onBuffered?.(buffered);
      this.#events = this.#parser.push(bytes);
      event = this.#events.shift();
    }
    await countEvent(event.data);
    this.isLarge = isLarge(event.data);
    return { done: false, value: event };
  }
}

/**
 * The chunks of a streamed answer, read from the connection as they are asked for. `return` closes the connection even while a
 * `next` is waiting for the upstream, which a generator alone would not do.
 */
export class ChunkStream<Frame extends AnswerFrame = ChatCompletionChunk> implements AsyncIterableIterator<Frame> {
  readonly #body: IncomingBody;
  readonly #events: Events;
  readonly #chunks: AsyncGenerator<Frame, void, void>;
  readonly #signal: AbortSignal;
  #ended = false;

  constructor(body: IncomingBody, read: ReadEvents<Frame>, { signal, onBuffered }: CallContext) {
    this.#body = body;
    this.#events = new Events(body, onBuffered);
    this.#chunks = read(this.#events);
    this.#signal = signal;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Frame, undefined>> {
    if (this.#ended) return { done: true, value: undefined };
    try {
      this.#signal.throwIfAborted();
      const { value } = await this.#chunks.next();
      // What was parsed is not passed on in the same turn.
      if (this.#events.isLarge) await nextTurn();
      if (value !== undefined) return { done: false, value };
      this.#ended = true;
      this.#body.discard();
    } catch (error) {
      this.#body.leave();
      // Left in the meantime: what the closed connection threw is no news.
      if (!this.#ended) {
        this.#ended = true;
        throw failureOf(error, this.#signal);
      }
    }
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<Frame, undefined>> {
    if (!this.#ended) this.#body.leave();
    this.#ended = true;
    return { done: true, value: undefined };
  }
}
