import { ProviderError } from '@svc/sdk';

/**
 * What the Messages API cannot be told, and an answer would be wrong without: the caller gets the 400 that the API would give.
 * `what` is a constant, never a part of the request.
 */
export function refused(what: string): ProviderError {
  return new ProviderError('invalid_request', { status: 400, cause: what });
}

/** The arguments of tool calls hold more JSON than is built of a request. */
export function tooLarge(): ProviderError {
  return new ProviderError('invalid_request', { status: 413, cause: 'arguments of tool calls that hold too much JSON' });
}
