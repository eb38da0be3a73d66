import { type ChatCompletionChunk, ProviderError, type ProviderStream } from '../contracts/index.ts';
import {
  AnswerBytes,
  asProviderError,
  type PipelineEnv,
  type PipelineRun,
  type RouteEndpoint,
  upstreamRequest,
} from '../pipeline/index.ts';
import { assertChunk } from './chunk.ts';
import { Impatient, Patience } from './patience.ts';

/**
 * A provider's stream, one chunk at a time and never ahead of the reader. Its deadline holds over all waiting for the upstream, so that
 * one that drips for ever meets it and a slow reader does not use it up; whatever the provider does with its signal.
 */
export class UpstreamStream {
  readonly #run: PipelineRun;
  readonly #patience: Patience;
  readonly #given_up = new AbortController();
  #chunks: AsyncIterator<unknown> | null = null;
  #ended = false;
  /** What this attempt's answer holds. */
  readonly bytes: AnswerBytes;
  /** Request parameters that the provider could not honour. */
  unsupported: readonly string[] = [];

  constructor(run: PipelineRun, endpoint: RouteEndpoint, env: PipelineEnv) {
    this.#run = run;
    this.bytes = new AnswerBytes(run.bytes, () => this.#given_up.abort());
    this.#patience = new Patience(env.clock, endpoint.timeout_ms, run.abort.signal);
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
    const asked = { ...upstreamRequest(request, endpoint.model), ...(stream_options == null ? {} : { stream_options }) };
    const { timeout_ms } = endpoint;
    const context = { run_id, attempt, signal: this.#given_up.signal, timeout_ms, onBuffered: this.bytes.buffered };
    const opening = this.#run.bytes.during((async () => openStream(await endpoint.instance.stream(asked, context)))());
    try {
      const { chunks, unsupported } = await this.#patience.wait(opening);
      this.#chunks = chunks;
      this.unsupported = unsupported;
    } catch (error) {
      // A stream that opens after all is closed.
      opening.then(({ chunks }) => tidyUp(chunks)).catch(() => undefined);
      throw asFailure(error);
    }
  }

  /** The next chunk, null after the last. @throws {ProviderError} */
  async next(): Promise<ChatCompletionChunk | null> {
    const chunks = this.#chunks;
    if (chunks === null) throw new Error('not open');
    try {
      const chunk = chunkOf(await this.#patience.wait(Promise.resolve(chunks.next())));
      if (chunk === null) this.#ended = true;
      return chunk;
    } catch (error) {
      throw asFailure(error);
    }
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

/** Whatever a provider throws, and wherever, is its failure. */
function asFailure(thrown: unknown): ProviderError {
  return thrown instanceof Impatient ? new ProviderError(thrown.why) : asProviderError(thrown);
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
