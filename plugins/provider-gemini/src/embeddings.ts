import { isGatewayField } from '@svc/sdk/protocol';
import type { EmbeddingRequest, ProviderEmbeddings } from '@svc/sdk/provider';
import { isObject, malformed, parseJson } from '@svc/toolkit/upstream';

/** @param model a path such as `models/gemini-embedding-001` */
export function embeddingBody({ input, dimensions }: EmbeddingRequest, model: string): object {
  const size = dimensions === undefined ? {} : { outputDimensionality: dimensions };
  return { requests: input.map((text) => ({ model, content: { parts: [{ text }] }, ...size })) };
}

/** Parameters that the API does not have. */
export function unsupportedIn(request: EmbeddingRequest): string[] {
  const { model: _, input: __, dimensions: ___, encoding_format: ____, ...rest } = request;
  const given = Object.entries(rest).filter(([name, value]) => value != null && !isGatewayField(name) && name !== 'messages');
  return given.map(([name]) => name);
}

/**
 * The vectors of an answer.
 * @throws {ProviderError} `malformed`
 */
export function vectorsIn(text: string, count: number): ProviderEmbeddings['embeddings'] {
  const answer = parseJson(text);
  const given = isObject(answer) && Array.isArray(answer.embeddings) ? answer.embeddings : [];
  if (given.length !== count) throw malformed('a different number of vectors and texts');
  return given.map((embedding) => {
    const values = isObject(embedding) && Array.isArray(embedding.values) ? embedding.values : [];
    if (values.length === 0 || !values.every((value) => typeof value === 'number'))
      throw malformed('a vector that is not a list of numbers');
    return values as number[];
  });
}
