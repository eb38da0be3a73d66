import type { JsonValue } from '@svc/sdk';
import type { EmbeddingRequest, ProviderEmbeddings } from '@svc/sdk/provider';
import { isCount, isObject, malformed, parseJson } from '@svc/toolkit/upstream';
import { NumberArrays } from './number-arrays.ts';

/** No model has longer vectors. */
const MAX_DIMENSIONS = 8_192;
/** Bytes per number in base64. */
const BASE64_BYTES = 16 / 3;
/** Maximum bytes per number in JSON, which may be indented with one number per line. */
const MAX_NUMBER_BYTES = 64;
/** OpenAI's limit. */
const MAX_TEXTS = 2_048;

/** Bytes that are allowed for the vectors of an answer, in addition to the rest of it. */
export const MAX_VECTORS_BYTES = MAX_TEXTS * MAX_DIMENSIONS * MAX_NUMBER_BYTES;

/**
 * Reads an answer as it arrives.
 * @param max_bytes limit for the answer without its vectors
 */
export function embeddingsReader({ input }: EmbeddingRequest, max_bytes: number): NumberArrays {
  const text_bytes = max_bytes + Math.ceil(input.length * MAX_DIMENSIONS * BASE64_BYTES);
  return new NumberArrays({ vectors: input.length, dimensions: MAX_DIMENSIONS, text_bytes });
}

/**
 * The vectors in the order of the texts. Servers may send them in any order.
 * @throws {ProviderError} `malformed`
 */
export function readEmbeddings(
  text: string,
  numbers: Pick<NumberArrays, 'vector'>,
  { input }: EmbeddingRequest,
): Omit<ProviderEmbeddings, 'unsupported'> {
  const answer = parseJson(text);
  if (!isObject(answer) || !Array.isArray(answer.data)) throw malformed('not a list of embeddings');
  const embeddings = new Map<number, readonly number[] | string>();
  for (const entry of answer.data) {
    if (!isObject(entry) || !isCount(entry.index) || entry.index >= input.length)
      throw malformed('an embedding without an index');
    embeddings.set(entry.index, vectorOf(entry.embedding, numbers));
  }
  if (embeddings.size !== input.length || answer.data.length !== input.length)
    throw malformed('a different number of embeddings and texts');
  const { usage } = answer;
  return {
    embeddings: input.map((_, index) => embeddings.get(index) ?? []),
    usage: isObject(usage) && isCount(usage.prompt_tokens) ? usageOf(usage.prompt_tokens) : null,
  };
}

function usageOf(tokens: number) {
  return { prompt_tokens: tokens, total_tokens: tokens };
}

function vectorOf(value: JsonValue | undefined, numbers: Pick<NumberArrays, 'vector'>): readonly number[] | string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) throw malformed('an embedding that is not a vector');
  const [index] = value;
  const vector = typeof index === 'number' ? numbers.vector(index) : undefined;
  if (vector === undefined) throw malformed('an embedding with a value that is not a number');
  return vector;
}
