import { type EmbeddingRequest, SvcError } from '@svc/contracts';
import type { AttemptEnd } from '@svc/kernel/ports';
import type { RouteEndpoint } from '@svc/kernel/routes';

/** The assumed vector length of a model that has not been called before. */
const USUAL_DIMENSIONS = 1_536;
const NUMBER_BYTES = 8;
/** Bytes of one number in base64. */
const BASE64_BYTES = 16 / 3;

/** The last known vector length of each provider's models. */
const known = new WeakMap<object, Map<string, number>>();

/** Bytes that the vectors of these texts will take. */
export function expectedBytes({ input, dimensions, encoding_format }: EmbeddingRequest, endpoint: RouteEndpoint): number {
  const requested = typeof dimensions === 'number' && dimensions > 0 ? dimensions : null;
  const length = requested ?? known.get(endpoint.instance)?.get(endpoint.model) ?? USUAL_DIMENSIONS;
  return Math.ceil(input.length * length * (encoding_format === 'base64' ? BASE64_BYTES : NUMBER_BYTES));
}

/** Keeps the greatest length seen so far, because callers may request shorter vectors. */
export function learnDimensions({ instance, model }: RouteEndpoint, vector: string | readonly number[] | undefined): void {
  if (vector === undefined) return;
  const dimensions = typeof vector === 'string' ? Math.floor(vector.length / BASE64_BYTES) : vector.length;
  const models = known.get(instance) ?? new Map<string, number>();
  known.set(instance, models.set(model, Math.max(dimensions, models.get(model) ?? 0)));
}

/** The end of an attempt whose vectors would not fit into memory, now or ever. The model is not called. */
export function noRoomForVectors(beside: 'beside others' | 'alone'): AttemptEnd {
  const error =
    beside === 'alone'
      ? new SvcError('SVC-REQ-002', 'the vectors of these texts are larger than server.max_bytes_in_flight; send fewer texts')
      : new SvcError('SVC-BUSY-001', 'other answers in progress use all of server.max_bytes_in_flight; try again later', {
          retry_after_s: 1,
        });
  return { kind: 'stopped', stop: { kind: 'failed', stage: 'execute', error } };
}
