import { isProviderError, type JsonExcess, ProviderError } from '@svc/contracts';
import { malformed } from '@svc/protocols';

export function isOk(status: number): boolean {
  return status >= 200 && status < 300;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Matches errors of connecting, after which nothing was sent. Names of certificate errors are OpenSSL's. */
const NOT_SENT =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_[A-Z]+|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|CERT_\w+|ERR_TLS_\w+|ERR_SSL_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+|PROXY_\w+|TLS_\w+)$/;

export function isUnsent(error: unknown): boolean {
  return NOT_SENT.test(codeOf(error) ?? '');
}

/** Matches errors of a compressed body that is truncated or invalid. */
const NOT_DECODED = /^(?:Z_|ZSTD_|ERR__|ERR_BROTLI|ERR_ZLIB)/;

/**
 * The ProviderError for anything that a call threw. Its cause is only a code such as `ECONNREFUSED`, because undici's errors may contain
 * bytes of the answer.
 */
export function failureOf(error: unknown, signal: AbortSignal): ProviderError {
  if (signal.aborted) return new ProviderError('aborted');
  if (isProviderError(error)) return error;
  const code = codeOf(error);
  // A request that was sent may have been processed.
  const cost = isUnsent(error) ? 'none' : 'unknown';
  const options = code === undefined ? ({ cost } as const) : ({ cause: code, cost } as const);
  switch (code) {
    case 'UND_ERR_CONNECT_TIMEOUT':
    case 'UND_ERR_HEADERS_TIMEOUT':
    case 'UND_ERR_BODY_TIMEOUT':
      return new ProviderError('timeout', options);
    case 'UND_ERR_RES_EXCEEDED_MAX_SIZE':
      return new ProviderError('malformed', options);
    default:
      if (code !== undefined && NOT_DECODED.test(code)) return new ProviderError('malformed', options);
      return new ProviderError('unavailable', options);
  }
}

/** The error for a response that is not from a model, such as a proxy's error page. `what`: as in {@link malformed}. */
export function noAnswer(what: string): ProviderError {
  return new ProviderError('malformed', { cause: what, cost: 'none' });
}

/** The upstream's answer contains too much JSON. */
export function tooMuchJson(excess: JsonExcess): ProviderError {
  return malformed(excess);
}
