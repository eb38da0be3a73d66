import type { DeliveryFailure } from '@svc/contracts';

/** Why a receiver did not accept records: a code, never its text. */
export class NotAccepted extends Error implements DeliveryFailure {
  override readonly name = 'NotAccepted';
  readonly code: string;
  readonly retry_after_ms: number | undefined;
  /** The last seq that the receiver accepted. */
  through: number | undefined;

  /** @param code 2 to 64 letters, digits and underscores */
  constructor(code: string, retry_after_ms?: number) {
    super('the receiver did not accept the request');
    this.code = code;
    this.retry_after_ms = retry_after_ms;
  }
}

/** The code of an error of the system, of TLS or of an HTTP client, such as `ECONNREFUSED`. */
export function failureCode(error: unknown): string {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' ? code : 'UNKNOWN';
}

/**
 * Runs one exchange with a receiver, with a signal for its time limit.
 * @throws {NotAccepted} `TIMEOUT` after `timeout_ms`, `GIVEN_UP` if the delivery was aborted, otherwise {@link failureCode}
 */
export async function withinTime<T>(
  timeout_ms: number,
  signal: AbortSignal,
  exchange: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timeout = AbortSignal.timeout(timeout_ms);
  try {
    signal.throwIfAborted();
    return await exchange(AbortSignal.any([signal, timeout]));
  } catch (error) {
    if (error instanceof NotAccepted) throw error;
    throw new NotAccepted(signal.aborted ? 'GIVEN_UP' : timeout.aborted ? 'TIMEOUT' : failureCode(error));
  }
}
