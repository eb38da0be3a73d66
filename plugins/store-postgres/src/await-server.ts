import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@svc/sdk/plugin';
import { reasonOf } from './database-error.ts';

/** A server that is restarted, or recovers after a crash, is waited for as long. */
const MAX_WAIT_MS = 30_000;
const AGAIN_MS = 500;
/** SQLSTATE or system error of a server that is not there yet, or not any more. Of a wrong password, name or certificate it is none of these. */
const PASSING = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  // It is shut down, has crashed, or is starting up.
  '57P01',
  '57P02',
  '57P03',
]);
/** The driver's words, which has no codes for these. */
const LOST = new Set([
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'timeout expired',
]);

/**
 * Does what needs the server, again and again while the server cannot be had for a reason that passes, and says so once.
 * @throws what `work` throws: at once, or when the wait is over
 */
export async function awaitServer<T>(work: () => Promise<T>, logger: Logger, max_wait_ms = MAX_WAIT_MS): Promise<T> {
  const until = performance.now() + max_wait_ms;
  for (let said = false; ; said = true) {
    try {
      return await work();
    } catch (error) {
      const reason = passingReason(error);
      if (reason === null || performance.now() + AGAIN_MS > until) throw error;
      if (!said) logger.warn({ event: 'store_awaited', reason, max_wait_ms });
      await delay(AGAIN_MS);
    }
  }
}

/** Of the error or of what caused it; null where it will not pass. */
function passingReason(error: unknown): string | null {
  for (let at = error; at instanceof Error; at = at.cause) {
    const reason = reasonOf(at);
    if (PASSING.has(reason)) return reason;
    if (LOST.has(at.message)) return 'connection_lost';
  }
  return null;
}
