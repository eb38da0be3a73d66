import { type JsonValue, ProviderError } from '@svc/sdk';
import { isObject, refusalDetails } from '@svc/toolkit/upstream';

/** Codes that say that the caller's request was refused. */
const CALLERS = /^(invalid_prompt|bio_policy|misalignment_policy_violation|[a-z_]*image[a-z_]*)$/;

/** What a response that failed says, by its code. Its text may quote the caller and goes nowhere. */
export function failureIn(error: JsonValue | undefined): ProviderError {
  const code = isObject(error) && typeof error.code === 'string' ? error.code : '';
  const cause = 'a response that failed';
  const details = { ...refusalDetails(error), cost: 'unknown' } as const;
  if (code === 'rate_limit_exceeded' || code === 'insufficient_quota')
    return new ProviderError('rate_limited', { status: 429, ...details, cause });
  if (CALLERS.test(code)) return new ProviderError('invalid_request', { status: 400, ...details, cause });
  return new ProviderError(code === 'data_residency_mismatch' ? 'configuration' : 'unavailable', { ...details, cause });
}
