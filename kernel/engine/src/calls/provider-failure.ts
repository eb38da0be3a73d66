import {
  type ContextLength,
  codeOf,
  type FailureMeaning,
  isObject,
  isProviderError,
  isUpstreamErrorCode,
  meaningOf,
  PROVIDER_ERROR_KINDS,
  ProviderError,
  type ProviderErrorKind,
  SvcError,
  type SvcErrorOptions,
  type UpstreamErrorCode,
} from '@svc/contracts';
import { isKnownParam } from '@svc/protocols';

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

/** The class of a failure in the log, from a closed list: what the upstream's code means, else the kind. */
export function failureClass({ kind, code }: ProviderError): ProviderErrorKind | FailureMeaning {
  return meaningOf(code) ?? kind;
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
    case 'unsupported':
      return false;
  }
}

/**
 * Failures that another endpoint may not have: busy, unavailable, too late, a key, account or model that is refused, or a page in place of an answer,
 * which cost nothing. A request that is wrong is wrong for every endpoint, and an answer that is too large would be so again.
 */
export function mayFallBack({ kind, cost }: ProviderError): boolean {
  switch (kind) {
    case 'rate_limited':
    case 'unavailable':
    case 'timeout':
    case 'configuration':
      return true;
    case 'malformed':
      return cost === 'none';
    case 'invalid_request':
    case 'aborted':
    case 'unsupported':
      return false;
  }
}

/** In place of a failure where an endpoint was passed over. */
export class NotCalled extends ProviderError {}

/** Codes by which clients of OpenAI's API do not know what they mean. */
const OF_OTHERS: readonly unknown[] = ['billing_error', 'overloaded_error'] satisfies UpstreamErrorCode[];

function upstreamOf({ code, param }: ProviderError): Pick<SvcErrorOptions, 'upstream'> {
  if (code === undefined) return {};
  const meaning = meaningOf(code);
  return { upstream: { code: meaning !== undefined && OF_OTHERS.includes(code) ? codeOf(meaning) : code, param: param ?? null } };
}

/** The upstream's statuses that a caller is to see; the others stand for what the gateway's operator is to see. */
function ownStatus(status: number | undefined): Pick<SvcErrorOptions, 'status'> {
  return status === 400 || status === 413 || status === 422 || status === 429 ? { status } : {};
}

function retryOf({ retry_after_s, retry_after_ms }: ProviderError): Pick<SvcErrorOptions, 'retry_after_s' | 'retry_after_ms'> {
  return {
    ...(retry_after_s === undefined ? {} : { retry_after_s }),
    ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
  };
}

/** What the caller gets: the upstream's status where the caller can act on it, never the upstream's words. */
export function callerError(failure: ProviderError): SvcError {
  const { status, code, context_length } = failure;
  const details: SvcErrorOptions = { ...upstreamOf(failure), cause: failure };
  switch (meaningOf(code)) {
    case 'context_length':
      return new SvcError('SVC-PROV-004', `the request exceeds the context window of the model${inNumbers(context_length)}`, {
        ...details,
        ...(context_length === undefined ? {} : { context_length }),
      });
    case 'quota':
      return new SvcError(
        'SVC-PROV-005',
        "the quota or credit of the gateway's account at the model provider is used up; ask the operator",
        {
          ...details,
          ...ownStatus(status),
        },
      );
    case 'unknown_model':
      return new SvcError('SVC-PROV-006', 'the model provider does not know the model of this route; ask the operator', {
        ...details,
        ...ownStatus(status),
      });
    case 'content_policy':
      return new SvcError(
        'SVC-PROV-007',
        'the request was rejected as a result of the safety system of the model provider, by its content policy',
        {
          ...details,
          ...ownStatus(status),
        },
      );
    case 'overloaded':
      return new SvcError('SVC-PROV-008', 'the model provider is overloaded; try again later', {
        ...details,
        ...retryOf(failure),
      });
    case undefined:
      return errorOfKind(failure, details);
  }
}

function errorOfKind(failure: ProviderError, details: SvcErrorOptions): SvcError {
  const { status } = failure;
  const kind: ProviderErrorKind = failure.kind;
  const { cause } = details;
  switch (kind) {
    case 'invalid_request': {
      const own = ownStatus(status === 429 ? undefined : status).status ?? 400;
      return new SvcError('SVC-PROV-003', `the model provider refused the request with status ${own}`, {
        status: own,
        ...details,
      });
    }
    case 'unsupported':
      return new SvcError('SVC-REQ-006', "the API of this route's provider cannot express part of the request", {
        status: status === 413 ? 413 : 400,
        cause,
      });
    case 'rate_limited':
      return new SvcError('SVC-PROV-003', 'the model provider is limiting requests', {
        status: 429,
        ...retryOf(failure),
        ...details,
      });
    case 'configuration':
      return status === undefined
        ? new SvcError('SVC-PROV-009', 'the provider of this route cannot be called as it is configured; ask the operator', {
            cause,
          })
        : new SvcError('SVC-PROV-003', "the model provider refused the gateway's key, address or model; ask the operator", {
            cause,
          });
    case 'unavailable':
      return new SvcError('SVC-PROV-001', 'the model provider cannot be reached or failed', details);
    case 'malformed':
      return new SvcError('SVC-PROV-001', 'the model provider sent an answer that does not fit its API', { cause });
    case 'timeout':
    case 'aborted':
      return new SvcError('SVC-PROV-002', 'the model provider did not answer in time', { cause });
  }
}

function inNumbers(length: ContextLength | undefined): string {
  const { tokens = null, output = null, limit = null } = length ?? {};
  if (limit === null) return '';
  return tokens === null ? ` of ${limit} tokens` : `: ${tokens + (output ?? 0)} tokens > ${limit} maximum`;
}
