import type { Lease, Store } from '@svc/contracts';

/** What one process of several does at a time: whose turn it is goes by leases. */
export class LeaderLease {
  readonly #store: Pick<Store, 'acquireLease' | 'releaseLease'>;
  readonly #instance: string;
  readonly #held = new Map<string, Lease>();

  constructor(store: Pick<Store, 'acquireLease' | 'releaseLease'>, instance: string) {
    this.#store = store;
    this.#instance = instance;
  }

  /** Whether it is this process's turn, for the next `ttl_ms`. */
  async take(name: string, ttl_ms: number): Promise<boolean> {
    const lease = await this.#store.acquireLease(name, this.#instance, ttl_ms);
    if (lease === null) this.#held.delete(name);
    else this.#held.set(name, lease);
    return lease !== null;
  }

  /** A successor need not wait until the leases run out. */
  async end(): Promise<void> {
    const held = [...this.#held.values()];
    this.#held.clear();
    await Promise.all(held.map((lease) => this.#store.releaseLease(lease)));
  }
}
