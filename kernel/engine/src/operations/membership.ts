import type { Clock, Lease, Store } from '@svc/contracts';
import { processHasEnded } from './instance-name.ts';

/** Begins the names of leases that instances hold while they live. */
const PREFIX = 'instance/';
const LEASE_TTL_MS = 30_000;
/** Much more often than the lease asks for: others judge by it. */
export const RENEW_EVERY_MS = 5_000;
/** After a failed one: whoever was cut off shows that it lives as soon as it can. */
export const RENEW_AGAIN_MS = 1_000;
/** A process whose own lease was not renewed for so long was stopped, or its store was away. */
const MAX_UNRENEWED_MS = 8_000;
/** After an outage of the store others live whose leases have run out: they get this long to renew them. */
const GRACE_MS = LEASE_TTL_MS;
/** How long the lease of an instance that is gone is kept, for who looks into what happened. */
const KEEP_MS = 24 * 3_600_000;

type LeaseBook = Pick<Store, 'exclusive' | 'acquireLease' | 'releaseLease' | 'leaseHolder' | 'forgetLeases'>;

/**
 * Shows other processes that this one lives, and tells whether they do, by leases. A lease that ran out says nothing as long as the store
 * may just have been away: others are judged only when it has been within reach for one whole lease.
 */
export class Membership {
  readonly #store: LeaseBook;
  readonly #instance: string;
  readonly #clock: Clock;
  #lease: Lease | null = null;
  /** When the lease was last renewed, NaN before it was taken. Monotonic milliseconds. */
  #renewedAt = Number.NaN;
  /** Monotonic milliseconds. */
  #judgesFrom = Number.POSITIVE_INFINITY;

  constructor(store: LeaseBook, instance: string, clock: Clock) {
    this.#store = store;
    this.#instance = instance;
    this.#clock = clock;
  }

  async renew(): Promise<void> {
    // Nobody else could look at it.
    if (this.#store.exclusive) return;
    const asked = this.#clock.monotonic();
    const lease = await this.#store.acquireLease(PREFIX + this.#instance, this.#instance, LEASE_TTL_MS);
    if (lease === null) throw new Error('the lease of this instance is held by another');
    const now = this.#clock.monotonic();
    // By the token the store tells that the lease had run out, also where this machine slept and its clock with it.
    const unbroken = lease.token === this.#lease?.token && now - this.#renewedAt <= MAX_UNRENEWED_MS;
    if (!unbroken) this.#judgesFrom = now + GRACE_MS;
    this.#lease = lease;
    this.#renewedAt = asked;
  }

  /** Whether another instance, by its name, does nothing any more. In doubt: false. */
  async isGone(other: string): Promise<boolean> {
    if (other === this.#instance) return false;
    if (this.#store.exclusive || processHasEnded(other)) return true;
    if (!this.#judges()) return false;
    const holder = await this.#store.leaseHolder(PREFIX + other);
    // Again, since the store may have been away meanwhile.
    return holder === null && this.#judges();
  }

  /** Removes what instances left that are gone for long. */
  async forgetGone(): Promise<void> {
    await this.#store.forgetLeases(PREFIX, KEEP_MS);
  }

  /** Others may take over at once. */
  async end(): Promise<void> {
    if (this.#lease !== null) await this.#store.releaseLease(this.#lease);
  }

  #judges(): boolean {
    const now = this.#clock.monotonic();
    return now - this.#renewedAt <= MAX_UNRENEWED_MS && now >= this.#judgesFrom;
  }
}
