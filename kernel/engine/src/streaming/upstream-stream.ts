import { setImmediate as nextIteration } from 'node:timers/promises';
import { type ChatCompletionChunk, ProviderError, type ProviderStream, type UpstreamTimeouts } from '@svc/contracts';
import { AnswerBytes } from '../calls/answer-bytes.ts';
import { upstreamRequest } from '../calls/opaque-fields.ts';
import { asProviderError } from '../calls/provider-failure.ts';
import type { OpaqueHandles } from '../content/opaque-handles.ts';
import type { CallRecord } from '../core/call-record.ts';
import type { PipelineRun } from '../core/pipeline-run.ts';
import type { RouteEndpoint } from '../core/route.ts';
import type { UpstreamEnv } from '../core/stage.ts';
import { assertChunk, bringsAnswer } from './chunk.ts';
import { Patience, TimeoutError } from './patience.ts';

/**
 * A provider's stream, one chunk at a time and at most one ahead of the reader. Silence has a limit before the first piece of the answer and
 * between later chunks. All waiting for the upstream together has a limit, too, for upstreams that drip; the time of a slow reader does not
 * count. The limits hold whatever the provider does with its signal.
 */
export class UpstreamStream {
  readonly #run: PipelineRun;
  readonly #handles: OpaqueHandles;
  readonly #patience: Patience;
  readonly #given_up = new AbortController();
  #chunks: AsyncIterator<unknown> | null = null;
  readonly #timeouts: UpstreamTimeouts;
  #begun = false;
  #limit: StreamLimit = 'FIRST_CHUNK_TIMEOUT';
  /** The next chunk, if it was requested already. */
  #coming: Promise<ChatCompletionChunk | null> | null = null;
  #ended = false;
  /** The reservation of this attempt's answer. */
  readonly bytes: AnswerBytes;
  /** Request parameters that the provider could not honour. */
  unsupported: readonly string[] = [];

  constructor(run: PipelineRun, endpoint: RouteEndpoint, env: UpstreamEnv) {
    this.#run = run;
    this.#handles = env.handles;
    this.bytes = new AnswerBytes(run.bytes, () => this.#given_up.abort());
    this.#patience = new Patience(env.clock, endpoint.timeouts.stream_timeout_ms, run.abort.signal);
    this.#timeouts = endpoint.timeouts;
  }

  get waited_ms(): number {
    return this.#patience.waited_ms;
  }

  /** Whether the upstream accepted the request: from then on it may be billed. */
  get accepted(): boolean {
    return this.#chunks !== null;
  }

  /** @throws {ProviderError} */
  async open(endpoint: RouteEndpoint, record: CallRecord): Promise<void> {
    const { stream_options } = this.#run.request;
    const asked = {
      ...upstreamRequest(this.#run, endpoint, this.#handles),
      ...(stream_options == null ? {} : { stream_options }),
    };
    const context = record.context(this.#given_up, this.#timeouts.stream_timeout_ms, this.bytes);
    const opening = this.bytes.during((async () => openStream(await endpoint.instance.stream(asked, context)))());
    try {
      const { chunks, unsupported } = await this.#wait(opening);
      this.#chunks = chunks;
      this.unsupported = unsupported;
    } catch (error) {
      // A stream that opens too late is closed.
      opening.then(({ chunks }) => tidyUp(chunks)).catch(() => undefined);
      throw asFailure(error, this.#limit);
    }
  }

  /** Whether the next chunk has arrived already. Yields one turn of the event loop, and does not wait. */
  async hasNext(): Promise<boolean> {
    let has = false;
    this.#coming ??= this.#ask();
    this.#coming.then(
      (chunk) => {
        has = chunk !== null;
      },
      () => undefined,
    );
    await nextIteration();
    return has;
  }

  /** The next chunk, null after the last. @throws {ProviderError} */
  async next(): Promise<ChatCompletionChunk | null> {
    const coming = this.#coming ?? this.#ask();
    this.#coming = null;
    try {
      const chunk = await this.#wait(coming);
      if (chunk === null) this.#ended = true;
      else if (!this.#begun) this.#begun = bringsAnswer(chunk);
      return chunk;
    } catch (error) {
      // The upstream accepted the request.
      throw asFailure(error, this.#limit, 'unknown');
    }
  }

  #wait<T>(other: Promise<T>): Promise<T> {
    const { first_chunk_timeout_ms, idle_timeout_ms, stream_timeout_ms } = this.#timeouts;
    const limit_ms = this.#begun ? idle_timeout_ms : first_chunk_timeout_ms - this.waited_ms;
    const own = this.#begun ? 'IDLE_TIMEOUT' : 'FIRST_CHUNK_TIMEOUT';
    this.#limit = stream_timeout_ms - this.waited_ms <= limit_ms ? 'STREAM_TIMEOUT' : own;
    return this.#patience.wait(other, limit_ms);
  }

  async #ask(): Promise<ChatCompletionChunk | null> {
    if (this.#chunks === null) throw new Error('not open');
    return chunkOf(await this.bytes.during(Promise.resolve(this.#chunks.next())));
  }

  /** Ends a call that has not ended by itself. Does not wait for a provider that hangs in its own cleanup. */
  leave(): void {
    if (this.#ended) return;
    this.#given_up.abort();
    if (this.#chunks !== null) tidyUp(this.#chunks);
  }

  /** Stops reading and releases the timers. */
  close(): void {
    this.leave();
    this.#patience.end();
  }
}

/** The limit that ends the wait, as `reason` in the operator's log. */
type StreamLimit = 'FIRST_CHUNK_TIMEOUT' | 'IDLE_TIMEOUT' | 'STREAM_TIMEOUT';

/** Every error that a provider throws is a failure of the provider. */
function asFailure(thrown: unknown, limit: StreamLimit, otherwise?: 'unknown'): ProviderError {
  if (!(thrown instanceof TimeoutError)) return asProviderError(thrown, otherwise);
  return new ProviderError(thrown.why, thrown.why === 'timeout' ? { cause: limit } : {});
}

interface OpenStream {
  readonly chunks: AsyncIterator<unknown>;
  readonly unsupported: readonly string[];
}

/** Providers are plugins: what they give is checked. @throws {ProviderError} `malformed` */
function openStream(stream: Partial<ProviderStream> | null | undefined): OpenStream {
  const { chunks, unsupported } = stream ?? {};
  const open = chunks?.[Symbol.asyncIterator];
  if (typeof open !== 'function' || !Array.isArray(unsupported)) throw new ProviderError('malformed');
  return { chunks: open.call(chunks), unsupported };
}

/** @throws {ProviderError} `malformed` */
function chunkOf(result: IteratorResult<unknown>): ChatCompletionChunk | null {
  if (typeof result !== 'object' || result === null) throw new ProviderError('malformed');
  if (result.done === true) return null;
  assertChunk(result.value);
  return result.value;
}

function tidyUp(chunks: AsyncIterator<unknown>): void {
  void (async () => chunks.return?.())().catch(() => undefined);
}
