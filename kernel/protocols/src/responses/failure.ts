import { isObject, meaningOf, ProviderError } from '@svc/contracts';
import { refusalDetails, reportedError } from '../upstream-error/index.ts';

/** Error codes that the caller's request caused. */
const CALLERS = /^(invalid_prompt|bio_policy|misalignment_policy_violation|[a-z_]*image[a-z_]*)$/;

/** Classifies a failed response by its code or, without one, by its message. The message may quote the caller, so it is never passed on. */
export function failureIn(error: unknown): ProviderError {
  const reported = isObject(error) ? error : undefined;
  const code = typeof reported?.code === 'string' ? reported.code : '';
  const details = refusalDetails(reported);
  if (code === 'rate_limit_exceeded' || meaningOf(details.code) !== undefined) return reportedError(reported);
  const known = { ...details, cost: 'unknown', cause: 'a response that failed' } as const;
  if (CALLERS.test(code)) return new ProviderError('invalid_request', { status: 400, ...known });
  return new ProviderError(code === 'data_residency_mismatch' ? 'configuration' : 'unavailable', known);
}
