/** The gateway refused or failed: any status but 2xx. */
export class HttpStatusError extends Error {
  override readonly name = 'HttpStatusError';
  readonly status: number;
  /** `SVC-…`, as in docs/errors.md. Null if a proxy answered instead of the gateway. */
  readonly code: string | null;
  /** For people. Starts with the code. */
  readonly detail: string;
  /** The run's id, if a run was created. */
  readonly run_id: string | null;
  /** Seconds to wait before a retry. Null if the gateway sent none. */
  readonly retry_after_s: number | null;

  constructor(of: { status: number; code: string | null; detail: string; run_id: string | null; retry_after_s: number | null }) {
    super(`${of.status}: ${of.detail}`);
    this.status = of.status;
    this.code = of.code;
    this.detail = of.detail;
    this.run_id = of.run_id;
    this.retry_after_s = of.retry_after_s;
  }
}

function textIn(body: unknown, field: string): string | null {
  if (typeof body !== 'object' || body === null || !(field in body)) return null;
  const value = (body as Record<string, unknown>)[field];
  return typeof value === 'string' ? value : null;
}

/** Reads the body, which may be anything, such as a proxy's error page. */
export async function httpStatusError(response: Response): Promise<HttpStatusError> {
  const text = await response.text().catch(() => '');
  let body: unknown = null;
  try {
    body = JSON.parse(text);
  } catch {
    // The response is not from the gateway.
  }
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new HttpStatusError({
    status: response.status,
    code: textIn(body, 'code'),
    detail: textIn(body, 'detail') ?? response.statusText,
    run_id: response.headers.get('x-svc-run-id') ?? textIn(body, 'svc_run_id'),
    retry_after_s: Number.isFinite(seconds) ? seconds : null,
  });
}
