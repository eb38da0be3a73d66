import { setTimeout as delay } from 'node:timers/promises';
import { isStoreError, type Logger, type Store } from '@svc/contracts';

/** Long enough for a database to restart or to recover from a crash. */
const MAX_WAIT_MS = 30_000;
const AGAIN_MS = 500;

/**
 * Opens the store. Retries while the store is unreachable, because a gateway may be started together with its database; logs this once.
 * @throws errors of `open`: other errors at once, and the last one when the maximum wait is over
 */
export async function openAwaited(store: Pick<Store, 'open'>, logger: Logger, max_wait_ms = MAX_WAIT_MS): Promise<void> {
  const until = performance.now() + max_wait_ms;
  for (let said = false; ; said = true) {
    try {
      return await store.open();
    } catch (error) {
      const passes = isStoreError(error) && error.code === 'UNREACHABLE';
      if (!passes || performance.now() + AGAIN_MS > until) throw error;
      if (!said) logger.warn({ event: 'store_awaited', max_wait_ms });
      await delay(AGAIN_MS);
    }
  }
}
