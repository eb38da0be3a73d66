import type { Store } from '@svc/contracts';
import { Closing } from '@svc/runtime';
import type { Logger } from 'pino';
import { STORE_CLOSING_MS, STORE_WATCHDOG_MS } from '../ending/limits.ts';
import { Watchdog } from '../ending/watchdog.ts';
import { sayStopped } from '../serving/serving.ts';

/**
 * Closes the store of a primary. After a failed write, LMDB may not close: its promise stays pending, or it blocks this thread. The watchdog then ends
 * the process. Logs and prints a store that did not close.
 * @returns the parts that did not end
 */
export async function closeStore(
  store: Pick<Store, 'close'>,
  logger: Pick<Logger, 'info' | 'error'>,
  watchdog: Pick<Watchdog, 'arm'> = new Watchdog(),
): Promise<readonly string[]> {
  watchdog.arm(STORE_WATCHDOG_MS);
  const closing = new Closing(STORE_CLOSING_MS);
  await closing.end('runs-db', STORE_CLOSING_MS, () => store.close());
  if (closing.left.length > 0) await sayStopped(closing.left, logger);
  return closing.left;
}
