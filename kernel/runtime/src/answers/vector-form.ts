import { type EmbeddingRequest, nextTurn, ProviderError } from '@svc/contracts';

type Vector = readonly number[] | string;

const FLOAT_BYTES = 4;
/** Number of values that are converted per turn of the event loop. */
const NUMBERS_AT_ONCE = 262_144;

/**
 * The vectors in the requested form: numbers, or base64 of little-endian 32-bit floats. They are converted because not every model supports both.
 * @throws {ProviderError} `malformed`
 */
export async function inRequestedForm(
  vectors: readonly Vector[],
  { encoding_format }: EmbeddingRequest,
  principal_id: string,
): Promise<readonly Vector[]> {
  const form = encoding_format === 'base64' ? 'string' : 'object';
  if (vectors.every((vector) => typeof vector === form)) return vectors;
  const written: Vector[] = [];
  let numbers = 0;
  for (const vector of vectors) {
    written.push(typeof vector === form ? vector : typeof vector === 'string' ? numbersIn(vector) : base64Of(vector));
    numbers += vector.length;
    if (numbers < NUMBERS_AT_ONCE) continue;
    numbers = 0;
    await nextTurn(principal_id);
  }
  return written;
}

function base64Of(vector: readonly number[]): string {
  const bytes = Buffer.allocUnsafe(vector.length * FLOAT_BYTES);
  for (const [at, number] of vector.entries()) bytes.writeFloatLE(number, at * FLOAT_BYTES);
  return bytes.toString('base64');
}

function numbersIn(vector: string): number[] {
  const bytes = Buffer.from(vector, 'base64');
  const numbers = Array.from({ length: bytes.length / FLOAT_BYTES }, (_, at) => bytes.readFloatLE(at * FLOAT_BYTES));
  if (bytes.length % FLOAT_BYTES !== 0 || !numbers.every(Number.isFinite)) throw new ProviderError('malformed');
  return numbers;
}
