import type { JsonValue } from '@svc/sdk';
import { isCount, isObject, malformed, parseJson } from '@svc/toolkit/upstream';

/**
 * The vectors of a response, in the order of the texts. Servers may send them in any order.
 * @throws {ProviderError} `malformed`
 */
export function readVectors(answer: string, count: number, dimensions: number): Float32Array[] {
  const body = parseJson(answer);
  if (!isObject(body) || !Array.isArray(body.data) || body.data.length !== count) throw malformed('not a list of embeddings');
  const vectors = new Map<number, Float32Array>();
  for (const entry of body.data) {
    if (!isObject(entry) || !isCount(entry.index) || entry.index >= count) throw malformed('an embedding without an index');
    vectors.set(entry.index, vectorOf(entry.embedding, dimensions));
  }
  if (vectors.size !== count) throw malformed('two embeddings for the same text');
  return Array.from({ length: count }, (_, index) => vectors.get(index) ?? new Float32Array());
}

/** Reads either JSON numbers or 32-bit floats in base64, which take a third of the space. */
function vectorOf(embedding: JsonValue | undefined, dimensions: number): Float32Array {
  const vector = typeof embedding === 'string' ? decoded(embedding) : Array.isArray(embedding) ? listed(embedding) : null;
  if (vector === null || vector.length !== dimensions || !vector.every(Number.isFinite))
    throw malformed('an embedding whose length differs from `dimensions`');
  if (vector.every((value) => value === 0)) throw malformed('an embedding that is zero or not finite');
  return vector;
}

function decoded(base64: string): Float32Array {
  const bytes = Buffer.from(base64, 'base64');
  return Float32Array.from({ length: Math.floor(bytes.length / 4) }, (_, i) => bytes.readFloatLE(i * 4));
}

function listed(values: readonly JsonValue[]): Float32Array {
  return Float32Array.from(values, (value) => (typeof value === 'number' ? value : Number.NaN));
}
