import { type GuardContext, isProviderError, type PluginDeps } from '@svc/contracts';

/**
 * Logs why a service gave no verdict: a kind of failure, a system code or a status. Never logs a message, which may quote the service.
 * @param place where an answer differs from its schema; null: elsewhere, or not known
 */
export function logFailure(
  { logger, name }: Pick<PluginDeps, 'logger' | 'name'>,
  ctx: GuardContext,
  error: unknown,
  place: string | null = null,
): void {
  const { run_id, signal } = ctx;
  logger.warn({
    event: 'guard_request_failed',
    node: name,
    run_id,
    ...(place !== null && { place }),
    ...(signal.aborted ? { reason: 'given-up' } : fieldsOf(error)),
  });
}

function fieldsOf(error: unknown): Readonly<Record<string, unknown>> {
  if (isProviderError(error))
    return { reason: codeIn(error.cause) ?? error.kind, ...(error.status !== undefined && { status: error.status }) };
  return { reason: codeIn(Reflect.get(Object(error), 'code')) ?? 'unknown', ...statusIn(error) };
}

function codeIn(value: unknown): string | null {
  return typeof value === 'string' && /^[A-Za-z][A-Za-z0-9_-]{2,63}$/.test(value) ? value : null;
}

function statusIn(error: unknown): { status?: number } {
  const status: unknown = Reflect.get(Object(error), 'status');
  return typeof status === 'number' ? { status } : {};
}
