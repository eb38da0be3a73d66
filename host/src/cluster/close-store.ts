import type { Store } from '@svc/contracts';
import { Closing } from '@svc/runtime';
import { STORE_CLOSING_MS, STORE_WATCHDOG_MS } from '../ending/limits.ts';
import { say } from '../ending/say.ts';
import { Watchdog } from '../ending/watchdog.ts';

/**
 * Closes the store of a primary. After a failed write, LMDB may not close: its promise stays pending, or it blocks this thread. The watchdog then ends
 * the process.
 * @returns the parts that did not end
 */
export async function closeStore(
  store: Pick<Store, 'close'>,
  watchdog: Pick<Watchdog, 'arm'> = new Watchdog(),
): Promise<readonly string[]> {
  watchdog.arm(STORE_WATCHDOG_MS);
  const closing = new Closing(STORE_CLOSING_MS);
  await closing.end('runs-db', STORE_CLOSING_MS, () => store.close());
  if (closing.left.length > 0) await say(`svc: stopped, although these had not finished: ${closing.left.join(', ')}`);
  return closing.left;
}
