import { type ChatCompletionChunk, ProviderError, type ProviderStream } from '../contracts/index.ts';
import { asProviderError, type PipelineEnv, type PipelineRun, type RouteEndpoint, upstreamRequest } from '../pipeline/index.ts';
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
  #chunks: AsyncIterator<ChatCompletionChunk> | null = null;
  #ended = false;
  /** Request parameters that the provider could not honour. */
  unsupported: readonly string[] = [];

  constructor(run: PipelineRun, endpoint: RouteEndpoint, env: PipelineEnv) {
    this.#run = run;
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
    const context = { run_id, attempt, signal: this.#given_up.signal, timeout_ms: endpoint.timeout_ms };
    const stream: unknown = await this.#wait(() => endpoint.instance.stream(upstreamRequest(request, endpoint.model), context));
    if (!isProviderStream(stream)) throw new ProviderError('malformed');
    this.#chunks = stream.chunks[Symbol.asyncIterator]();
    this.unsupported = stream.unsupported;
  }

  /** The next chunk, null after the last. @throws {ProviderError} */
  async next(): Promise<ChatCompletionChunk | null> {
    const chunks = this.#chunks;
    if (chunks === null) throw new Error('not open');
    const { done, value } = await this.#wait(() => chunks.next());
    if (done === true) {
      this.#ended = true;
      return null;
    }
    assertChunk(value);
    return value;
  }

  /** Ends a call that has not ended by itself. A provider that hangs in its own tidying up is not waited for. */
  leave(): void {
    if (this.#ended) return;
    this.#given_up.abort();
    const chunks = this.#chunks;
    void (async () => chunks?.return?.())().catch(() => undefined);
  }

  async #wait<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await this.#patience.wait(call());
    } catch (thrown) {
      throw thrown instanceof Impatient ? new ProviderError(thrown.why) : asProviderError(thrown);
    }
  }
}

function isProviderStream(value: unknown): value is ProviderStream {
  if (typeof value !== 'object' || value === null || !('chunks' in value) || !('unsupported' in value)) return false;
  const { chunks, unsupported } = value;
  const iterable =
    typeof chunks === 'object' && chunks !== null && typeof Reflect.get(chunks, Symbol.asyncIterator) === 'function';
  return iterable && Array.isArray(unsupported);
}
