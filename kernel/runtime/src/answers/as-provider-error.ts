import {
  type ContextLength,
  isObject,
  isProviderError,
  isUpstreamErrorCode,
  PROVIDER_ERROR_KINDS,
  ProviderError,
} from '@svc/contracts';
import { UndeclaredFailure } from '@svc/kernel/endpoints';
import { isKnownParam } from '@svc/protocols';

/**
 * Converts any failure of a provider to a `ProviderError`. An error of any other kind becomes `unavailable` and may have been billed. `otherwise`:
 * the cost if the provider does not say.
 */
export function asProviderError(thrown: unknown, otherwise?: 'unknown'): ProviderError {
  if (thrown instanceof UndeclaredFailure) return thrown;
  if (!isProviderError(thrown) || !PROVIDER_ERROR_KINDS.includes(thrown.kind))
    return new UndeclaredFailure('unavailable', { cost: 'unknown', cause: thrown });
  const { kind, status, retry_after_s, retry_after_ms, cost = otherwise, code, param, context_length } = thrown;
  return new ProviderError(kind, {
    ...(cost === 'none' || cost === 'unknown' ? { cost } : {}),
    ...(Number.isInteger(status) && status !== undefined && status >= 100 && status < 600 ? { status } : {}),
    ...(retry_after_s !== undefined && retry_after_s >= 0 && Number.isFinite(retry_after_s)
      ? { retry_after_s: Math.ceil(retry_after_s) }
      : {}),
    ...(retry_after_ms !== undefined && Number.isSafeInteger(retry_after_ms) && retry_after_ms >= 0 ? { retry_after_ms } : {}),
    ...(isUpstreamErrorCode(code) ? { code } : {}),
    ...(typeof param === 'string' && isKnownParam(param) ? { param } : {}),
    ...(isContextLength(context_length) ? { context_length } : {}),
    cause: thrown,
  });
}

function isContextLength(value: unknown): value is ContextLength {
  if (!isObject(value)) return false;
  return [value.tokens, value.output, value.limit].every((number) => number === null || Number.isSafeInteger(number));
}
