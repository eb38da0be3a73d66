import { createHmac } from 'node:crypto';
import { type RunRow, SvcError } from '@svc/contracts';
import { canonicalJson, sha256 } from '@svc/ledger';

/** A caller's `Idempotency-Key`, with the request that it stands for. */
export interface IdempotencyKey {
  readonly value: string;
  /** Method and path. */
  readonly endpoint: string;
  /** The whole body, with defaults filled in. */
  readonly body: unknown;
}

/** What no other run may have. Hashed, so that a key of any form and length is one that every store takes. */
export function uniqueKeyOf(principal_id: string, { value }: IdempotencyKey): string {
  return `idempotency/${principal_id}/${sha256(value)}`;
}

/**
 * What the key is bound to. It is an HMAC under the caller's key, which is stored nowhere: who reads the store cannot try which text fits,
 * unless he guesses the key first.
 */
export function requestDigest(principal_id: string, route: string, { value, endpoint, body }: IdempotencyKey): string {
  const request = canonicalJson({ body, endpoint, principal_id, route });
  return `hmac-sha256:${createHmac('sha256', value).update(request).digest('hex')}`;
}

type Bound = Pick<RunRow, 'route' | 'request_digest'>;

/**
 * Of a run that an earlier release stored, only the route can be compared.
 * @throws {SvcError} SVC-RUN-006
 */
export function assertSameRequest(stored: Bound, asked: Bound): void {
  const { route, request_digest } = stored;
  const isSame = request_digest === undefined ? route === asked.route : request_digest === asked.request_digest;
  if (!isSame) throw new SvcError('SVC-RUN-006', 'this Idempotency-Key was used with another route or body');
}
