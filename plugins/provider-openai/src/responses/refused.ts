import { ProviderError } from '@svc/sdk';

/** The caller's request cannot be sent. `what` is a constant, never a part of the request. */
export function refused(what: string): ProviderError {
  return new ProviderError('invalid_request', { status: 400, cause: what });
}
