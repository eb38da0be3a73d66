import type { Clock, Lease, Store } from '@svc/contracts';
import { processHasEnded } from './instance-name.ts';

/** Name prefix of the leases that show which instances are alive. */
const PREFIX = 'instance/';
const LEASE_TTL_MS = 30_000;
/** Much shorter than the lease requires, because other instances rely on it. */
export const RENEW_EVERY_MS = 5_000;
/** After a failure, the renewal is retried at this interval, so that it succeeds as soon as the store is back. */
export const RETRY_RENEWAL_MS = 1_000;
/** If this process has not renewed its own lease for this long, it was suspended or the store was unavailable. */
const MAX_UNRENEWED_MS = 8_000;
/** After an outage of the store, other instances have this long to renew their expired leases. */
const GRACE_MS = LEASE_TTL_MS;
/** How long the lease of a dead instance is kept, for investigations. */
const KEEP_MS = 24 * 3_600_000;

type LeaseBook = Pick<Store, 'exclusive' | 'acquireLease' | 'releaseLease' | 'leaseHolder' | 'forgetLeases'>;

/**
 * Holds a lease that shows other processes that this one is alive, and checks theirs. While the store is unavailable, leases expire
 * although their holders live. So no instance is considered dead until the store has been reachable for the duration of a lease.
 */
export class Membership {
  readonly #store: LeaseBook;
  readonly #instance: string;
  readonly #clock: Clock;
  #lease: Lease | null = null;
  /** When the lease was last renewed, in monotonic milliseconds. NaN if never. */
  #renewedAt = Number.NaN;
  /** When this instance may begin to consider others dead, in monotonic milliseconds. */
  #judgesFrom = Number.POSITIVE_INFINITY;

  constructor(store: LeaseBook, instance: string, clock: Clock) {
    this.#store = store;
    this.#instance = instance;
    this.#clock = clock;
  }

  async renew(): Promise<void> {
    // An exclusive store has no other processes.
    if (this.#store.exclusive) return;
    const startedAt = this.#clock.monotonic();
    const lease = await this.#store.acquireLease(PREFIX + this.#instance, this.#instance, LEASE_TTL_MS);
    if (lease === null) throw new Error('another process holds the lease of this instance');
    const now = this.#clock.monotonic();
    // A new token shows that the lease had expired, even if the machine was suspended and its clock stood still.
    const unbroken = lease.token === this.#lease?.token && now - this.#renewedAt <= MAX_UNRENEWED_MS;
    if (!unbroken) this.#judgesFrom = now + GRACE_MS;
    this.#lease = lease;
    this.#renewedAt = startedAt;
  }

  /** Whether another instance is dead. False if that is not certain. */
  async isDead(other: string): Promise<boolean> {
    if (other === this.#instance) return false;
    if (this.#store.exclusive || processHasEnded(other)) return true;
    if (!this.#judges()) return false;
    const holder = await this.#store.leaseHolder(PREFIX + other);
    // Checked again, because the store may have been unavailable in between.
    return holder === null && this.#judges();
  }

  /** Deletes old leases of dead instances. */
  async forgetDead(): Promise<void> {
    await this.#store.forgetLeases(PREFIX, KEEP_MS);
  }

  /** Releases the lease, so that others can take over at once. */
  async end(): Promise<void> {
    if (this.#lease !== null) await this.#store.releaseLease(this.#lease);
  }

  #judges(): boolean {
    const now = this.#clock.monotonic();
    return now - this.#renewedAt <= MAX_UNRENEWED_MS && now >= this.#judgesFrom;
  }
}
