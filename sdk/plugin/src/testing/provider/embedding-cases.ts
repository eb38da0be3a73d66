import type { EmbeddingRequest, Provider, ProviderEmbeddings } from '@svc/contracts';
import * as assert from '../cases/assert.ts';
import type { ConformanceCase } from '../cases/conformance-case.ts';
import { callContext, promptly, rejectsWith } from './calls.ts';
import type { ProviderConformanceOptions } from './options.ts';

/** Cases for embeddings, if the provider supports them. */
export function embeddingCases({ embedding, model }: ProviderConformanceOptions): ConformanceCase[] {
  if (embedding === undefined) return [];
  const withEmbed = (check: (embed: NonNullable<Provider['embed']>) => Promise<void>) => async () => {
    const provider = await embedding();
    try {
      assert.present(provider.embed, 'a provider with `embed`');
      await check(provider.embed.bind(provider));
    } finally {
      await promptly('close', Promise.resolve(provider.close?.()));
    }
  };
  const request: EmbeddingRequest = Object.freeze({ model, input: Object.freeze(['one', 'naïve café, 日本語', 'one']) });
  return [
    {
      name: 'embed: returns one vector for each text, in order',
      run: withEmbed(async (embed) => {
        const { embeddings, usage } = await embed(request, callContext().context);
        assert.same(embeddings.length, request.input.length, 'vectors');
        assert.same(embeddings[0], embeddings[2], 'the same vector for the same text');
        assert.ok(!isSame(embeddings, 0, 1), 'a different vector for a different text', 'the same');
        assert.ok(usage === null || usage.prompt_tokens > 0, 'usage, or null', 'none');
      }),
    },
    {
      name: 'embed: returns base64 of 32-bit floats if requested',
      run: withEmbed(async (embed) => {
        const { embeddings } = await embed({ ...request, encoding_format: 'base64' }, callContext().context);
        assert.ok(embeddings.every(isFloats), 'base64 of whole floats', 'a different text');
      }),
    },
    {
      name: 'embed: rejects a call whose signal is already aborted',
      run: withEmbed(async (embed) => {
        const { context, abort } = callContext();
        abort();
        await rejectsWith('aborted', 'embed', embed(request, context));
      }),
    },
  ];
}

function isSame(embeddings: ProviderEmbeddings['embeddings'], one: number, other: number): boolean {
  return JSON.stringify(embeddings[one]) === JSON.stringify(embeddings[other]);
}

function isFloats(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  const { length } = Buffer.from(value, 'base64');
  return length > 0 && length % Float32Array.BYTES_PER_ELEMENT === 0;
}
