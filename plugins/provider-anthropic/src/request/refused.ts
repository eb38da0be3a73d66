import { ProviderError } from '@svc/sdk';

/**
 * The request has content that the API does not support and that the answer depends on: the caller gets 400, as from the API. `what` is a
 * constant, never a part of the request.
 */
export function refused(what: string): ProviderError {
  return new ProviderError('unsupported', { status: 400, cause: what });
}

/** The arguments of tool calls exceed the limits on JSON. */
export function tooLarge(): ProviderError {
  return new ProviderError('unsupported', { status: 413, cause: 'arguments of tool calls that hold too much JSON' });
}
