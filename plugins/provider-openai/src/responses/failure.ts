import { type JsonValue, ProviderError } from '@svc/sdk';
import { isObject } from '@svc/toolkit/upstream';

/** Codes that say that the caller's request was refused. */
const CALLERS = /^(invalid_prompt|bio_policy|misalignment_policy_violation|[a-z_]*image[a-z_]*)$/;

/** What a response that failed says, by its code. Its text may quote the caller and goes nowhere. */
export function failureIn(error: JsonValue | undefined): ProviderError {
  const code = isObject(error) && typeof error.code === 'string' ? error.code : '';
  const cause = 'a response that failed';
  if (code === 'rate_limit_exceeded' || code === 'insufficient_quota')
    return new ProviderError('rate_limited', { status: 429, cause });
  if (CALLERS.test(code)) return new ProviderError('invalid_request', { status: 400, cause });
  return new ProviderError(code === 'data_residency_mismatch' ? 'configuration' : 'unavailable', { cause });
}
