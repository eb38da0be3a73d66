import { setImmediate as nextIteration } from 'node:timers/promises';
import { type ChatCompletionChunk, ProviderError, type ProviderStream, type UpstreamTimeouts } from '@svc/contracts';
import { AnswerBytes } from '../calls/answer-bytes.ts';
import { asProviderError } from '../calls/provider-failure.ts';
import type { OpaqueHandles } from '../content/opaque-handles.ts';
import { upstreamRequest } from '../core/attempt.ts';
import type { PipelineRun } from '../core/pipeline-run.ts';
import type { RouteEndpoint } from '../core/route.ts';
import type { UpstreamEnv } from '../core/stage.ts';
import { assertChunk, bringsAnswer } from './chunk.ts';
import { Patience, TimeoutError } from './patience.ts';

/**
 * A provider's stream, one chunk at a time and at most one ahead of the reader. Silence is bounded, before the first piece of the answer and
 * between chunks after it, and so is all waiting for the upstream together: one that drips for ever meets that, and a slow reader uses
 * none of it up. The bounds hold whatever the provider does with its signal.
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
  /** The next chunk, where it was asked for already. */
  #coming: Promise<ChatCompletionChunk | null> | null = null;
  #ended = false;
  /** What this attempt's answer holds. */
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

  /** Whether the upstream took the request: from then on it is paid for. */
  get accepted(): boolean {
    return this.#chunks !== null;
  }

  /** @throws {ProviderError} */
  async open(endpoint: RouteEndpoint, attempt: number): Promise<void> {
    const { run_id, request } = this.#run;
    const { stream_options } = request;
    const asked = {
      ...upstreamRequest(this.#run, endpoint, this.#handles),
      ...(stream_options == null ? {} : { stream_options }),
    };
    const timeout_ms = this.#timeouts.stream_timeout_ms;
    const context = { run_id, attempt, signal: this.#given_up.signal, timeout_ms, onBuffered: this.bytes.buffered };
    const opening = this.bytes.during((async () => openStream(await endpoint.instance.stream(asked, context)))());
    try {
      const { chunks, unsupported } = await this.#wait(opening);
      this.#chunks = chunks;
      this.unsupported = unsupported;
    } catch (error) {
      // A stream that opens after all is closed.
      opening.then(({ chunks }) => tidyUp(chunks)).catch(() => undefined);
      throw asFailure(error, this.#limit);
    }
  }

  /** Whether the next chunk is there already. Others have their turn meanwhile; nothing is waited for. */
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
      throw asFailure(error, this.#limit);
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

  /** Ends a call that has not ended by itself. A provider that hangs in its own tidying up is not waited for. */
  leave(): void {
    if (this.#ended) return;
    this.#given_up.abort();
    if (this.#chunks !== null) tidyUp(this.#chunks);
  }

  /** Leaves, and lets go of the deadline: nothing is asked of it any more. */
  close(): void {
    this.leave();
    this.#patience.end();
  }
}

/** Which limit ends the wait, as the `reason` in the operator's log. */
type StreamLimit = 'FIRST_CHUNK_TIMEOUT' | 'IDLE_TIMEOUT' | 'STREAM_TIMEOUT';

/** Whatever a provider throws, and wherever, is its failure. */
function asFailure(thrown: unknown, limit: StreamLimit): ProviderError {
  if (!(thrown instanceof TimeoutError)) return asProviderError(thrown);
  return new ProviderError(thrown.why, thrown.why === 'timeout' ? { cause: limit } : {});
}

interface OpenStream {
  readonly chunks: AsyncIterator<unknown>;
  readonly unsupported: readonly string[];
}

/** Providers are plugins: what they give is looked at. @throws {ProviderError} `malformed` */
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
