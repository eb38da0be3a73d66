import { hash } from 'node:crypto';
import type { Store } from '@svc/contracts';

const PREFIX = 'passkeys/counter/';

/**
 * The signature counters of authenticators that count. A counter that does not grow means that the passkey was copied. They are in the store, so every
 * process sees them.
 */
export class UseCounters {
  readonly #store: Promise<Pick<Store, 'readMeta' | 'writeMeta'>>;

  constructor(store: Promise<Pick<Store, 'readMeta' | 'writeMeta'>>) {
    this.#store = store;
  }

  /** False: the counter value was used before. An authenticator that does not count reports 0 each time. */
  async advance(id: string, counter: number): Promise<boolean> {
    const store = await this.#store;
    // An id may be longer than a name in the store.
    const name = PREFIX + hash('sha256', id, 'hex');
    for (;;) {
      const stored = await store.readMeta(name);
      if (counter <= Number(stored ?? 0)) return counter === 0 && stored === null;
      if (await store.writeMeta(name, stored, String(counter))) return true;
    }
  }
}
