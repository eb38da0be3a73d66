import type { ContextLength } from './provider.ts';
import type { UpstreamErrorCode } from './upstream-error.ts';

/**
 * The only table of error codes. `status` is the HTTP status of the response; `null` marks a code that appears in events only. A test checks
 * docs/errors.md against this table.
 */
export const ERROR_CODES = {
  'SVC-AUTH-001': { status: 401, title: 'missing or unknown key, or invalid token' },
  'SVC-AUTH-002': { status: 403, title: 'the key does not allow this route, action or namespace' },
  'SVC-AUTH-003': { status: 403, title: 'the caller is not an approver of this run' },
  'SVC-AUTH-004': { status: 503, title: 'the token cannot be checked at the moment' },
  'SVC-AUTH-005': { status: 403, title: 'the decision has no valid passkey signature' },
  'SVC-REQ-001': { status: 400, title: 'malformed request' },
  'SVC-REQ-002': { status: 413, title: 'the body is too large' },
  'SVC-REQ-003': { status: 404, title: 'no such path' },
  'SVC-REQ-004': { status: 415, title: 'the body is not JSON' },
  'SVC-REQ-005': { status: 501, title: 'transfer coding not supported' },
  'SVC-REQ-006': { status: 400, title: "the provider's API cannot express this request" },
  'SVC-REQ-007': { status: 426, title: 'WebSockets are not served' },
  'SVC-ROUTE-001': { status: 404, title: 'unknown route' },
  'SVC-ROUTE-002': { status: 400, title: "the route's provider does not support embeddings" },
  'SVC-RUN-001': { status: 404, title: 'unknown run' },
  'SVC-RUN-002': { status: 409, title: 'the run is not paused' },
  'SVC-RUN-003': { status: 409, title: 'the route of the run was changed or removed' },
  'SVC-RUN-004': { status: 409, title: 'the run has not ended' },
  'SVC-RUN-005': { status: 410, title: 'the content of the run is not available' },
  'SVC-RUN-006': { status: 409, title: 'the idempotency key was used for another request' },
  'SVC-RUN-007': { status: 422, title: 'a guard rejected the input' },
  'SVC-RUN-008': { status: 400, title: 'a guard or an approver stopped the run' },
  'SVC-RUN-009': { status: 400, title: 'the run is waiting for approval' },
  'SVC-APPR-001': { status: 404, title: 'unknown delegation' },
  'SVC-APPR-002': { status: 409, title: 'the approval would count the same person twice' },
  'SVC-RAG-001': { status: 503, title: 'RAG is not configured' },
  'SVC-RAG-002': { status: 422, title: 'a guard rejected a document' },
  'SVC-RAG-003': { status: 410, title: 'the documents of the namespace cannot be read' },
  'SVC-CONF-001': { status: 422, title: 'the configuration file cannot be applied' },
  'SVC-CONF-002': { status: 409, title: 'another configuration was applied at the same time' },
  'SVC-RATE-001': { status: 429, title: 'too many requests' },
  'SVC-KEY-001': { status: 404, title: 'unknown key' },
  'SVC-KEY-002': { status: 409, title: 'the key was revoked or rotated, or has expired' },
  'SVC-KEY-003': { status: 404, title: 'unknown passkey' },
  'SVC-LIMIT-001': { status: 429, title: 'requests-per-minute limit reached' },
  'SVC-LIMIT-002': { status: 429, title: 'tokens-per-minute limit reached' },
  'SVC-LIMIT-003': { status: 429, title: 'concurrent-requests limit reached' },
  'SVC-BUSY-001': { status: 503, title: 'no capacity for this request at the moment' },
  'SVC-BUSY-002': { status: 503, title: 'the server is shutting down' },
  'SVC-OPS-001': { status: 503, title: 'disabled by an operator' },
  'SVC-OPS-002': { status: 403, title: 'the principal is disabled' },
  'SVC-OPS-003': { status: 409, title: 'this state change is not allowed' },
  'SVC-OPS-004': { status: 404, title: 'unknown route, provider, guard or principal' },
  'SVC-PROV-001': { status: 502, title: 'the model provider failed' },
  'SVC-PROV-002': { status: 504, title: 'the model provider timed out' },
  'SVC-PROV-003': { status: 502, title: 'the model provider rejected the request' },
  'SVC-PROV-004': { status: 400, title: 'the request exceeds the context window of the model' },
  'SVC-PROV-005': { status: 402, title: "the quota or credit of the provider's account is used up" },
  'SVC-PROV-006': { status: 502, title: 'the model provider does not know the model' },
  'SVC-PROV-007': { status: 400, title: 'rejected by the content policy of the model provider' },
  'SVC-PROV-008': { status: 503, title: 'the model provider is overloaded' },
  'SVC-PROV-009': { status: 502, title: 'the model provider is misconfigured' },
  'SVC-STORE-001': { status: 503, title: 'evidence cannot be written' },
  'SVC-INT-001': { status: 500, title: 'internal error' },
  'SVC-NODE-001': { status: null, title: 'the guard failed' },
} as const satisfies Record<string, { status: number | null; title: string }>;

export type ErrorCode = keyof typeof ERROR_CODES;

const BRAND: unique symbol = Symbol.for('svc.error');

export interface SvcErrorOptions {
  /** HTTP status if it differs from the table: an upstream's own 400, 413, 422 or 429. */
  status?: number;
  /** Seconds, as sent in `Retry-After`. */
  retry_after_s?: number;
  /** Milliseconds, as sent in `retry-after-ms`. */
  retry_after_ms?: number;
  /** The model provider's own `error.code` and `error.param` when it rejects a request. */
  upstream?: { readonly code: UpstreamErrorCode; readonly param: string | null };
  /** Only with SVC-PROV-004. */
  context_length?: ContextLength;
  /** The invalid field of the request, such as `messages.0.content`. Every name in it is a known one. */
  param?: string;
  /** Whether a model call was billed. If so, an automatic retry would be billed again. */
  paid?: boolean;
  run_id?: string;
  cause?: unknown;
}

/**
 * An error that callers may see. `message` starts with the code and never contains caller text, secrets, paths or stacks. To recognize one, use
 * {@link isSvcError}: `instanceof` is not reliable, because two copies of this package may be loaded.
 */
export class SvcError extends Error {
  readonly [BRAND] = true;
  readonly code: ErrorCode;
  readonly status: number;
  readonly retry_after_s: number | undefined;
  readonly retry_after_ms: number | undefined;
  readonly upstream: SvcErrorOptions['upstream'];
  readonly context_length: ContextLength | undefined;
  readonly param: string | undefined;
  readonly paid: boolean;
  readonly run_id: string | undefined;

  constructor(code: ErrorCode, message: string, options: SvcErrorOptions = {}) {
    super(`${code}: ${message}`, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'SvcError';
    this.code = code;
    this.status = options.status ?? ERROR_CODES[code].status ?? 500;
    this.retry_after_s = options.retry_after_s;
    this.retry_after_ms = options.retry_after_ms;
    this.upstream = options.upstream;
    this.context_length = options.context_length;
    this.param = options.param ?? options.upstream?.param ?? undefined;
    this.paid = options.paid ?? false;
    this.run_id = options.run_id;
  }
}

export function isSvcError(value: unknown): value is SvcError {
  return typeof value === 'object' && value !== null && BRAND in value;
}
