import { isObject, type JsonValue, ProviderError, type UpstreamErrorCode } from '@svc/contracts';
import { kindOfStatus } from './failures.ts';
import { kindOfRefusal, refusalIn } from './refusal-meaning.ts';

/** HTTP status for each known error code. */
const STATUSES: ReadonlyMap<UpstreamErrorCode, number> = new Map<UpstreamErrorCode, number>([
  ['authentication_error', 401],
  ['billing_error', 402],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['model_not_found', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['rate_limit_exceeded', 429],
  ['insufficient_quota', 429],
  ['billing_hard_limit_reached', 429],
  ['tokens', 429],
  ['requests', 429],
  ['RESOURCE_EXHAUSTED', 429],
  ['api_error', 500],
  ['server_error', 500],
  ['UNAVAILABLE', 503],
  ['server_is_overloaded', 503],
  ['slow_down', 503],
  ['timeout_error', 504],
  ['DEADLINE_EXCEEDED', 504],
  ['overloaded_error', 529],
]);

/**
 * An error that an upstream reports inside an answer that began with status 200. A number in it is an HTTP status; without one, its code decides. Its
 * cost is unknown.
 */
export function reportedError(error: JsonValue | undefined): ProviderError {
  const given = statusIn(error);
  const refusal = refusalIn(error, given);
  const { details } = refusal;
  const status = given ?? (details.code === undefined ? undefined : (STATUSES.get(details.code) ?? 400));
  const options = { ...details, cost: 'unknown', cause: 'an error inside an answer' } as const;
  if (status === undefined) return new ProviderError('unavailable', options);
  return new ProviderError(kindOfRefusal(refusal, status) ?? kindOfStatus(status), { status, ...options });
}

function statusIn(error: JsonValue | undefined): number | undefined {
  if (!isObject(error)) return undefined;
  const numbers = [error.code, error.status_code, error.status].map((value) =>
    typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value,
  );
  return numbers.find((value) => typeof value === 'number' && Number.isInteger(value) && value >= 400 && value <= 599) as
    | number
    | undefined;
}
