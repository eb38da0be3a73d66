import {
  isProviderError,
  isUpstreamErrorCode,
  PROVIDER_ERROR_KINDS,
  ProviderError,
  type ProviderErrorKind,
  SvcError,
  type SvcErrorOptions,
} from '@svc/contracts';
import { isKnownParam } from '../segments/index.ts';

/** A provider threw what its contract has not. It may be its upstream, or its own code that a request of a caller trips up. */
export class UndeclaredFailure extends ProviderError {}

/**
 * Any failure of a provider as its contract's error. What it should not have thrown, or not with such fields, counts as `unavailable`, and may
 * have cost something. `otherwise`: what it cost where the provider does not say.
 */
export function asProviderError(thrown: unknown, otherwise?: 'unknown'): ProviderError {
  if (thrown instanceof UndeclaredFailure) return thrown;
  if (!isProviderError(thrown) || !PROVIDER_ERROR_KINDS.includes(thrown.kind))
    return new UndeclaredFailure('unavailable', { cost: 'unknown', cause: thrown });
  const { kind, status, retry_after_s, retry_after_ms, cost = otherwise, code, param } = thrown;
  return new ProviderError(kind, {
    ...(cost === 'none' || cost === 'unknown' ? { cost } : {}),
    ...(Number.isInteger(status) && status !== undefined && status >= 100 && status < 600 ? { status } : {}),
    ...(retry_after_s !== undefined && retry_after_s >= 0 && Number.isFinite(retry_after_s)
      ? { retry_after_s: Math.ceil(retry_after_s) }
      : {}),
    ...(retry_after_ms !== undefined && Number.isSafeInteger(retry_after_ms) && retry_after_ms >= 0 ? { retry_after_ms } : {}),
    ...(isUpstreamErrorCode(code) ? { code } : {}),
    ...(typeof param === 'string' && isKnownParam(param) ? { param } : {}),
    cause: thrown,
  });
}

/**
 * Whether a call that failed like this, before it said what it used, may have been paid for. Where its provider does not say: it was given
 * up, or its answer cannot be read.
 */
export function mayHaveCost({ kind, cost }: ProviderError): boolean {
  if (cost !== undefined) return cost === 'unknown';
  switch (kind) {
    case 'timeout':
    case 'aborted':
    case 'malformed':
      return true;
    case 'rate_limited':
    case 'unavailable':
    case 'invalid_request':
    case 'configuration':
      return false;
  }
}

/**
 * Failures that another provider may not have: busy, unavailable, too late, or a page in place of an answer, which cost nothing. A request that is
 * wrong is wrong for every provider, and an answer that is too large would be so again.
 */
export function mayFallBack({ kind, cost }: ProviderError): boolean {
  switch (kind) {
    case 'rate_limited':
    case 'unavailable':
    case 'timeout':
      return true;
    case 'malformed':
      return cost === 'none';
    case 'invalid_request':
    case 'configuration':
    case 'aborted':
      return false;
  }
}

function upstreamOf({ code, param }: ProviderError): Pick<SvcErrorOptions, 'upstream'> {
  return code === undefined ? {} : { upstream: { code, param: param ?? null } };
}

/** What the caller is told: the upstream's status where the caller can act on it, never the upstream's words. */
export function callerError(failure: ProviderError): SvcError {
  const { status, retry_after_s, retry_after_ms } = failure;
  const kind: ProviderErrorKind = failure.kind;
  switch (kind) {
    case 'invalid_request': {
      const own = status === 400 || status === 413 || status === 422 ? status : 400;
      return new SvcError('SVC-PROV-003', `the model provider refused the request with status ${own}`, {
        status: own,
        ...upstreamOf(failure),
        cause: failure,
      });
    }
    case 'rate_limited':
      return new SvcError('SVC-PROV-003', 'the model provider is limiting requests', {
        status: 429,
        ...(retry_after_s === undefined ? {} : { retry_after_s }),
        ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
        ...upstreamOf(failure),
        cause: failure,
      });
    case 'configuration':
      return new SvcError('SVC-PROV-003', "the model provider refused the gateway's key, address or model; ask the operator", {
        cause: failure,
      });
    case 'unavailable':
      return new SvcError('SVC-PROV-001', 'the model provider cannot be reached or failed', {
        ...upstreamOf(failure),
        cause: failure,
      });
    case 'malformed':
      return new SvcError('SVC-PROV-001', 'the model provider answered something that is not a chat completion', {
        cause: failure,
      });
    case 'timeout':
    case 'aborted':
      return new SvcError('SVC-PROV-002', 'the model provider did not answer in time', { cause: failure });
  }
}
