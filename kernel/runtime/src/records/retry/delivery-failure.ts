const CODE = /^[A-Za-z][A-Za-z0-9_]{1,63}$/;

/** A code or a name. The receiver's own message is not used, because it may quote what was sent. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const code: unknown = Reflect.get(error, 'code');
  const reason = typeof code === 'string' && CODE.test(code) ? code : error.name;
  return CODE.test(reason) ? reason : 'unknown';
}

/** The wait that a receiver requested, in milliseconds. */
export function retryAfterMs(error: unknown): number {
  const requested = error instanceof Error && 'retry_after_ms' in error ? Number(error.retry_after_ms) : 0;
  return Number.isFinite(requested) && requested > 0 ? Math.min(requested, 3_600_000) : 0;
}
