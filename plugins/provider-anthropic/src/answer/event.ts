import type { JsonObject } from '@svc/sdk';
import { isObject, malformed, parseJsonPiece, reportedError, type SseEvent } from '@svc/toolkit/upstream';

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
