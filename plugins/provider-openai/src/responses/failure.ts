import { type JsonValue, meaningOf, ProviderError } from '@svc/sdk';
import { isObject, refusalDetails, reportedError } from '@svc/toolkit/upstream';

/** Codes that say that the caller's request was refused. */
const CALLERS = /^(invalid_prompt|bio_policy|misalignment_policy_violation|[a-z_]*image[a-z_]*)$/;

/** What a response that failed says, by its code, or by what the sentence beside it means. Its text may quote the caller and goes nowhere. */
export function failureIn(error: JsonValue | undefined): ProviderError {
  const code = isObject(error) && typeof error.code === 'string' ? error.code : '';
  const details = refusalDetails(error);
  if (code === 'rate_limit_exceeded' || meaningOf(details.code) !== undefined) return reportedError(error);
  const told = { ...details, cost: 'unknown', cause: 'a response that failed' } as const;
  if (CALLERS.test(code)) return new ProviderError('invalid_request', { status: 400, ...told });
  return new ProviderError(code === 'data_residency_mismatch' ? 'configuration' : 'unavailable', told);
}
