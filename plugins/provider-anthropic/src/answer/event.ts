import { type JsonObject, ProviderError } from '@svc/sdk';
import { isObject, kindOfStatus, malformed, parseJsonPiece, type SseEvent } from '@svc/toolkit/upstream';

/** HTTP status of each type of error, as the API uses it outside of a stream. */
const STATUSES: ReadonlyMap<unknown, number> = new Map([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['api_error', 500],
  ['timeout_error', 504],
  ['overloaded_error', 529],
]);

function reportedError(error: unknown): ProviderError {
  const status = isObject(error) ? STATUSES.get(error.type) : undefined;
  const cause = 'an error inside the stream';
  return status === undefined
    ? new ProviderError('unavailable', { cause })
    : new ProviderError(kindOfStatus(status), { status, cause });
}

/**
 * Reads one event of a stream. Its strings may begin or end in the middle of a surrogate pair.
 * @throws {ProviderError} `malformed`, or what the upstream reports in an `error` event
 */
export function readEvent({ type, data }: SseEvent): JsonObject {
  const event = parseJsonPiece(data);
  if (!isObject(event)) throw malformed('an event that is no object');
  if (type === 'error' || event.type === 'error') throw reportedError(event.error);
  return event;
}
