import { type AnswerFrame, type CallContext, type ChatCompletionChunk, type FrameIterator, nextTurn } from '@svc/contracts';
import { countEvent, isLarge } from './count-event.ts';
import { failureOf } from './failures.ts';
import type { IncomingBody } from './incoming-body.ts';
import { type SseEvent, SseParser } from './sse.ts';

/** Turns the events of one streamed answer into frames. */
export interface EventReader<Frame extends AnswerFrame = ChatCompletionChunk> {
  /**
   * The frames of an event.
   * @throws {ProviderError} the error that the upstream reports, or `malformed`
   */
  take(event: SseEvent): readonly Frame[];
  /** Whether the upstream has reported the end of its answer. Later data is discarded. */
  readonly isEnded: boolean;
  /** Called after the last event. @throws {ProviderError} if the answer is not complete */
  end(): void;
}

/** Maximum number of characters of one event. An image in an answer is one event of several megabytes. */
const MAX_EVENT_LENGTH = 8_388_608;

/**
 * Whether an event may be part of an answer. To keep a connection alive, some servers send empty events, or plain words under an event name of their
 * own.
 */
function saysSomething({ type, data }: SseEvent): boolean {
  return type === 'error' || (/\S/.test(data) && (type === 'message' || /^\s*[[{]/.test(data)));
}

/**
 * The frames of a streamed answer, read from the connection on demand. `return` closes the connection even while `next` waits for the upstream; with
 * a generator, that would not be possible.
 */
export class ChunkStream<Frame extends AnswerFrame = ChatCompletionChunk> implements FrameIterator<Frame> {
  readonly #parser = new SseParser(MAX_EVENT_LENGTH);
  readonly #body: IncomingBody;
  readonly #reader: EventReader<Frame>;
  readonly #signal: AbortSignal;
  readonly #onBuffered: CallContext['onBuffered'];
  #events: SseEvent[] = [];
  #frames: Frame[] = [];
  /** An error for the next `next` to throw, or null. */
  #failure: { readonly error: unknown } | null = null;
  #ended = false;

  constructor(body: IncomingBody, reader: EventReader<Frame>, { signal, onBuffered }: CallContext) {
    this.#body = body;
    this.#reader = reader;
    this.#signal = signal;
    this.#onBuffered = onBuffered;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  arrived(): Frame | undefined {
    if (this.#ended || this.#failure !== null || this.#signal.aborted) return undefined;
    try {
      while (this.#frames.length === 0 && !this.#reader.isEnded) {
        const [event] = this.#events;
        if (event === undefined || isLarge(event.data)) return undefined;
        void countEvent(event.data);
        this.#events.shift();
        this.#frames.push(...this.#reader.take(event));
      }
      return this.#frames.shift();
    } catch (error) {
      this.#failure = { error };
      return undefined;
    }
  }

  async next(): Promise<IteratorResult<Frame, undefined>> {
    if (this.#ended) return { done: true, value: undefined };
    let buffered = 0;
    try {
      this.#signal.throwIfAborted();
      if (this.#failure !== null) throw this.#failure.error;
      while (this.#frames.length === 0 && !this.#reader.isEnded) {
        const event = this.#events.shift();
        if (event !== undefined) {
          const counting = countEvent(event.data);
          if (counting !== undefined) await counting;
          this.#frames.push(...this.#reader.take(event));
          // Parsing took up this turn of the event loop, so the frames are returned in the next one.
          if (counting !== undefined) await nextTurn();
          continue;
        }
        const bytes = await this.#body.next();
        if (bytes === null) {
          this.#reader.end();
          break;
        }
        // Counts only the incomplete event, because complete events have been removed.
        buffered += bytes.length;
        this.#onBuffered?.(buffered);
        this.#events = this.#parser.push(bytes).filter(saysSomething);
      }
      const value = this.#frames.shift();
      if (value !== undefined) return { done: false, value };
      this.#ended = true;
      this.#body.discard();
    } catch (error) {
      this.#body.leave();
      // If the reader has left in the meantime, errors of the closed connection are ignored.
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
