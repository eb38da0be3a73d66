import type { ErrorBody } from './api-types.ts';

/** Run id and ledger record, from the gateway's headers. */
export interface Receipts {
  readonly run_id: string | null;
  /** `<seq> <hash>` of the run's ledger record; null if the run has not ended. */
  readonly evidence: string | null;
}

export function receiptsOf(headers: Headers): Receipts {
  return { run_id: headers.get('x-svc-run-id'), evidence: headers.get('x-svc-evidence') };
}

type Diagnostics = NonNullable<ErrorBody['diagnostics']>;

/** An error response, or no response (status 0). `message` can be shown to the visitor. */
export class ApiError extends Error {
  readonly status: number;
  /** One of the gateway's error codes; empty if the response was not the gateway's. */
  readonly code: string;
  readonly receipts: Receipts;
  /** Findings in the configuration file. */
  readonly diagnostics: Diagnostics;

  constructor(
    status: number,
    code: string,
    message: string,
    receipts: Receipts = { run_id: null, evidence: null },
    diagnostics: Diagnostics = [],
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.receipts = receipts;
    this.diagnostics = diagnostics;
  }
}

/**
 * The error in an HTTP response.
 * @param body its parsed JSON, if any
 */
export function errorOf({ status, headers }: Pick<Response, 'status' | 'headers'>, body: unknown): ApiError {
  const fields = typeof body === 'object' && body !== null ? body : {};
  const code = 'code' in fields && typeof fields.code === 'string' ? fields.code : '';
  const detail =
    'detail' in fields && typeof fields.detail === 'string' ? fields.detail : `The gateway answered with status ${status}.`;
  const wait = Number(headers.get('retry-after') ?? Number.NaN);
  const isSaid = detail.includes(`${wait} s`);
  const advice = Number.isFinite(wait) && !isSaid ? ` Try again in ${wait} ${wait === 1 ? 'second' : 'seconds'}.` : '';
  const diagnostics = 'diagnostics' in fields && Array.isArray(fields.diagnostics) ? fields.diagnostics : [];
  return new ApiError(status, code, sentence(detail) + advice, receiptsOf(headers), diagnostics);
}

/** The message to show for any thrown value. */
export function problemText(error: unknown): string {
  return error instanceof Error ? error.message : 'Something went wrong.';
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
