import {
  type ContextLength,
  codeOf,
  meaningOf,
  type ProviderError,
  type ProviderErrorKind,
  SvcError,
  type SvcErrorOptions,
  type UpstreamErrorCode,
} from '@svc/contracts';

/** Codes of other vendors, which clients of OpenAI's API cannot interpret. */
const OF_OTHERS: readonly unknown[] = ['billing_error', 'overloaded_error'] satisfies UpstreamErrorCode[];

function upstreamOf({ code, param }: ProviderError): Pick<SvcErrorOptions, 'upstream'> {
  if (code === undefined) return {};
  const meaning = meaningOf(code);
  return { upstream: { code: meaning !== undefined && OF_OTHERS.includes(code) ? codeOf(meaning) : code, param: param ?? null } };
}

/** The upstream's status if it is passed on to the caller. Other statuses concern the operator. */
function ownStatus(status: number | undefined): Pick<SvcErrorOptions, 'status'> {
  return status === 400 || status === 413 || status === 422 || status === 429 ? { status } : {};
}

function retryOf({ retry_after_s, retry_after_ms }: ProviderError): Pick<SvcErrorOptions, 'retry_after_s' | 'retry_after_ms'> {
  return {
    ...(retry_after_s === undefined ? {} : { retry_after_s }),
    ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
  };
}

/** The caller's error. It has the upstream's status if the caller can act on it, and never the upstream's text. */
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
        'the request was rejected as a result of the safety system of the model provider (its content policy); change the request',
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
      return new SvcError('SVC-PROV-003', `the model provider rejected the request with status ${own}; check the request`, {
        status: own,
        ...details,
      });
    }
    case 'unsupported':
      return new SvcError('SVC-REQ-006', "the API of this route's provider does not support part of the request", {
        status: status === 413 ? 413 : 400,
        cause,
      });
    case 'rate_limited':
      return new SvcError('SVC-PROV-003', 'the model provider is rate-limiting requests; try again later', {
        status: 429,
        ...retryOf(failure),
        ...details,
      });
    case 'configuration':
      return status === undefined
        ? new SvcError('SVC-PROV-009', 'the provider of this route is misconfigured; ask the operator', {
            cause,
          })
        : new SvcError('SVC-PROV-003', "the model provider rejected the gateway's key, address or model; ask the operator", {
            cause,
          });
    case 'unavailable':
      return new SvcError('SVC-PROV-001', 'the model provider failed or cannot be reached; try again later', details);
    case 'malformed':
      return new SvcError('SVC-PROV-001', 'the model provider sent an invalid answer; try again later', { cause });
    case 'timeout':
    case 'aborted':
      return new SvcError('SVC-PROV-002', 'the model provider did not answer in time; try again later', { cause });
  }
}

function inNumbers(length: ContextLength | undefined): string {
  const { tokens = null, output = null, limit = null } = length ?? {};
  if (limit === null) return '';
  return tokens === null ? ` of ${limit} tokens` : `: ${tokens + (output ?? 0)} tokens > ${limit} maximum`;
}
