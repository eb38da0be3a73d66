import { ProviderError } from '@svc/sdk';

/** The caller's request cannot be sent. `what` is a constant, never a part of the request. */
export function refused(what: string): ProviderError {
  return new ProviderError('unsupported', { status: 400, cause: what });
}
