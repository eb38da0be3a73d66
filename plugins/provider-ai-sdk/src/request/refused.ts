import { ProviderError } from '@svc/sdk';

/**
 * The request has content that the specification has no place for and that the answer depends on: the caller gets 400. `what` is a
 * constant, never a part of the request.
 */
export function refused(what: string, status: 400 | 413 = 400): ProviderError {
  return new ProviderError('unsupported', { status, cause: what, cost: 'none' });
}
