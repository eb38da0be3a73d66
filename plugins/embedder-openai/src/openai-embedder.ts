import { isProviderError, type PluginDeps, ProviderError } from '@svc/sdk';
import { JSON_LIMITS, type JsonLimits } from '@svc/sdk/json';
import type { Embedder } from '@svc/sdk/vectors';
import { openAiTarget, UpstreamClient } from '@svc/toolkit/upstream';
import { batchesOf } from './batches.ts';
import type { OpenAiOptions } from './options.ts';
import { readVectors } from './read-vectors.ts';

/** An embedder for an OpenAI-compatible endpoint. Sends batches one after another, so as not to overload a busy server. */
export class OpenAiEmbedder implements Embedder {
  readonly model: string;
  readonly dimensions: number;
  readonly #options: OpenAiOptions;
  readonly #client: UpstreamClient;

  constructor(options: OpenAiOptions, deps: PluginDeps) {
    this.model = `openai/${options.model}`;
    this.dimensions = options.dimensions;
    this.#options = options;
    this.#client = new UpstreamClient(openAiTarget(options, '/embeddings'), options, deps);
  }

  async embed(texts: readonly string[], _use: 'document' | 'query', signal: AbortSignal): Promise<readonly Float32Array[]> {
    const { batch_size, batch_characters } = this.#options;
    const vectors: Float32Array[] = [];
    try {
      for (const batch of batchesOf(texts, batch_size, batch_characters)) vectors.push(...(await this.#call(batch, signal)));
    } catch (error) {
      // The calls for earlier batches were billed.
      if (isProviderError(error) && vectors.length > 0) Object.assign(error, { cost: 'unknown' });
      throw error;
    }
    return vectors;
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  async #call(input: readonly string[], given: AbortSignal): Promise<Float32Array[]> {
    const { model, dimensions, shorten, timeout_ms } = this.#options;
    const late = AbortSignal.timeout(timeout_ms);
    const body = JSON.stringify({ model, input, encoding_format: 'base64', ...(shorten && { dimensions }) });
    try {
      const signal = AbortSignal.any([given, late]);
      const answer = await this.#client.whole(
        body,
        { run_id: '', attempt: 1, signal, timeout_ms },
        limitsOf(input.length, dimensions),
      );
      return readVectors(answer, input.length, dimensions);
    } catch (error) {
      throw late.aborted && !given.aborted ? new ProviderError('timeout') : error;
    }
  }
}

/** Leaves room for servers that send vectors as JSON numbers instead of base64. */
function limitsOf(texts: number, dimensions: number): JsonLimits {
  return { ...JSON_LIMITS, values: JSON_LIMITS.values + texts * dimensions };
}
