import type { Lease, Store } from '@svc/contracts';

/** Elects one of several processes for a task by means of a lease. */
export class LeaderLease {
  readonly #store: Pick<Store, 'acquireLease' | 'releaseLease'>;
  readonly #instance: string;
  readonly #leases = new Map<string, Lease>();

  constructor(store: Pick<Store, 'acquireLease' | 'releaseLease'>, instance: string) {
    this.#store = store;
    this.#instance = instance;
  }

  /** Whether this process is the leader for the next `ttl_ms`. */
  async take(name: string, ttl_ms: number): Promise<boolean> {
    const lease = await this.#store.acquireLease(name, this.#instance, ttl_ms);
    if (lease === null) this.#leases.delete(name);
    else this.#leases.set(name, lease);
    return lease !== null;
  }

  /** Releases the leases, so that a successor need not wait for them to expire. */
  async end(): Promise<void> {
    const leases = [...this.#leases.values()];
    this.#leases.clear();
    await Promise.all(leases.map((lease) => this.#store.releaseLease(lease)));
  }
}
