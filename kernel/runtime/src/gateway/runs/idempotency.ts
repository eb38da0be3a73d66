import { createHmac } from 'node:crypto';
import { type RunRow, SvcError } from '@svc/contracts';
import { canonicalJson, sha256 } from '@svc/ledger';

/** A caller's `Idempotency-Key`, and the request that it belongs to. */
export interface IdempotencyKey {
  readonly value: string;
  /** Method and path. */
  readonly endpoint: string;
  /** The whole body, with default values filled in. */
  readonly body: unknown;
}

/** The unique key of a run. It is a hash, so stores accept any form and length of the caller's key. */
export function uniqueKeyOf(principal_id: string, { value }: IdempotencyKey): string {
  return `idempotency/${principal_id}/${sha256(value)}`;
}

/**
 * Identifies the request: an HMAC with the caller's key, which is not stored. So a reader of the store who does not know the key cannot test guesses
 * of the request.
 */
export function requestDigest(principal_id: string, route: string, { value, endpoint, body }: IdempotencyKey): string {
  const request = canonicalJson({ body, endpoint, principal_id, route });
  return `hmac-sha256:${createHmac('sha256', value).update(request).digest('hex')}`;
}

type Bound = Pick<RunRow, 'route' | 'request_digest'>;

/**
 * Checks that a request is the one that its key was used for before. A run of an earlier release has no digest, so only the route is compared.
 * @throws {SvcError} SVC-RUN-006
 */
export function assertSameRequest(stored: Bound, repeated: Bound): void {
  const { route, request_digest } = stored;
  const isSame = request_digest === undefined ? route === repeated.route : request_digest === repeated.request_digest;
  if (!isSame) throw new SvcError('SVC-RUN-006', 'this Idempotency-Key was used with another route or body');
}
