import type { Clock } from '@svc/contracts';
import type { Dispatcher } from 'undici';
import { retryAfter } from './retry-after.ts';

interface Exchange {
  readonly origin: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Limits the time, because nothing else does. */
  readonly signal: AbortSignal;
}

interface Head {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The delay in seconds that `Retry-After` requests. Undefined if there is none. */
  readonly retry_after_s: number | undefined;
}

/**
 * Sends one request. The caller reads the body, or destroys it.
 * @throws undici's error or the signal's reason
 */
export async function exchange(
  dispatcher: Dispatcher,
  { headers: given, ...request }: Exchange,
  clock: Clock,
): Promise<Head & { readonly body: Dispatcher.ResponseData['body'] }> {
  request.signal.throwIfAborted();
  const { statusCode, headers, body } = await dispatcher.request({
    ...request,
    headers: { 'user-agent': 'svc', ...given },
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return { status: statusCode, headers, retry_after_s: retryAfter(headers['retry-after'], clock.now()), body };
}
