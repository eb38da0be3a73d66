import { type EmbeddingRequest, JSON_LIMITS, type JsonLimits, type JsonValue, type ProviderEmbeddings } from '@svc/sdk';
import { isCount, isObject, malformed, parseJson } from '@svc/toolkit/upstream';

/** No model has longer vectors. */
const MAX_DIMENSIONS = 8_192;

/** Room for vectors written as numbers. */
export function embeddingLimits({ input }: EmbeddingRequest): JsonLimits {
  return { ...JSON_LIMITS, values: JSON_LIMITS.values + input.length * MAX_DIMENSIONS };
}

/**
 * Reads the vectors in the order of the texts; servers may send them in any.
 * @throws {ProviderError} `malformed`
 */
export function readEmbeddings(text: string, { input }: EmbeddingRequest): Omit<ProviderEmbeddings, 'unsupported'> {
  const answer = parseJson(text);
  if (!isObject(answer) || !Array.isArray(answer.data)) throw malformed('not a list of embeddings');
  const embeddings = new Map<number, readonly number[] | string>();
  for (const entry of answer.data) {
    if (!isObject(entry) || !isCount(entry.index) || entry.index >= input.length)
      throw malformed('an embedding without its index');
    embeddings.set(entry.index, vectorOf(entry.embedding));
  }
  if (embeddings.size !== input.length || answer.data.length !== input.length) throw malformed('not one embedding of each text');
  const { usage } = answer;
  return {
    embeddings: input.map((_, index) => embeddings.get(index) ?? []),
    usage: isObject(usage) && isCount(usage.prompt_tokens) ? usageOf(usage.prompt_tokens) : null,
  };
}

function usageOf(tokens: number) {
  return { prompt_tokens: tokens, total_tokens: tokens };
}

function vectorOf(value: JsonValue | undefined): readonly number[] | string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) throw malformed('an embedding that is no vector');
  return value.map((member) => {
    if (typeof member !== 'number') throw malformed('an embedding with something that is no number');
    return member;
  });
}
