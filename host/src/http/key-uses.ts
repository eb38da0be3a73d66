import type { Clock, Store } from '@svc/contracts';

const MINUTE_MS = 60_000;
const PREFIX = 'keys/used/';

/**
 * The minute in which each key that was created at run time was last used, in any process. Each is one of the store's small values, and is written at
 * most once a minute. If a write fails, it is tried again in the next minute: no decision depends on it.
 */
export class KeyUses {
  readonly #meta: Promise<Pick<Store, 'readMeta' | 'writeMeta'>>;
  readonly #clock: Clock;
  /** Uses that this process has written or is writing, in milliseconds since the epoch, rounded to minutes. */
  readonly #noted = new Map<string, number>();

  constructor(meta: Promise<Pick<Store, 'readMeta' | 'writeMeta'>>, clock: Clock) {
    this.#meta = meta;
    this.#clock = clock;
  }

  note(key_id: string): void {
    const minute = Math.floor(this.#clock.now() / MINUTE_MS) * MINUTE_MS;
    if ((this.#noted.get(key_id) ?? 0) >= minute) return;
    this.#noted.set(key_id, minute);
    void this.#write(key_id, minute).catch(() => undefined);
  }

  /** ISO 8601, rounded to minutes. Null: never used. */
  async lastUse(key_id: string): Promise<string | null> {
    const stored = await (await this.#meta).readMeta(PREFIX + key_id);
    const noted = this.#noted.get(key_id);
    const latest = Math.max(stored === null ? 0 : Date.parse(stored), noted ?? 0);
    return latest === 0 ? null : new Date(latest).toISOString();
  }

  async #write(key_id: string, minute: number): Promise<void> {
    const meta = await this.#meta;
    const value = new Date(minute).toISOString();
    for (;;) {
      const stored = await meta.readMeta(PREFIX + key_id);
      if (stored !== null && stored >= value) return;
      if (await meta.writeMeta(PREFIX + key_id, stored, value)) return;
    }
  }
}
