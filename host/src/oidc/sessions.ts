import { hkdfSync, randomBytes } from 'node:crypto';
import type { Clock, Store } from '@svc/contracts';
import type { ContentKeys } from '@svc/runtime/content';
import type { JWTPayload } from 'jose';
import type { SessionLimits } from '../config/index.ts';
import { leavesOf } from './leaves.ts';
import { seal, unseal } from './sealed.ts';

/** The leaf of the content key for sessions. */
const LEAF = 'page sessions';
const PREFIX = 'session/';
const ID = /^[\w-]{43}$/;
/** Takes over the lease of an ended session, so that no request in progress can renew it. */
const ENDED = 'ended';
/** Minimum interval between two renewals of a session. */
const RENEW_MS = 60_000;
/** Longer than any request that might still renew it. */
const LAPSED_MS = 3_600_000;

/** The person whom an issuer verified. */
export interface Verified {
  readonly issuer: string;
  readonly claims: JWTPayload;
}

type Leases = Pick<Store, 'acquireLease' | 'releaseLease' | 'leaseHolder' | 'forgetLeases'>;

/**
 * Sessions as leases of the store, so that every process sees them and their end. The lease's name is a hash of the
 * session's id. Its holder is the session, encrypted with a key derived from the id and the content key. Its time is
 * the idle limit. So the store cannot reveal whose session it is, and write access to the store is not enough to
 * create one.
 */
export class Sessions {
  readonly #store: Promise<Leases>;
  readonly #clock: Clock;
  readonly #limits: SessionLimits;
  readonly #keys: ContentKeys;
  /**
   * When this process last renewed a lease, on the monotonic clock, oldest first. Older than a minute are removed at
   * the next one.
   */
  readonly #renewed = new Map<string, number>();

  constructor(store: Promise<Leases>, clock: Clock, limits: SessionLimits, keys: ContentKeys) {
    this.#store = store;
    this.#clock = clock;
    this.#limits = limits;
    this.#keys = keys;
  }

  /** @returns the id of a new session, 256 random bits */
  async open(verified: Verified): Promise<string> {
    const store = await this.#store;
    await store.forgetLeases(PREFIX, LAPSED_MS);
    const id = randomBytes(32).toString('base64url');
    const key = derived(id, 'content', leavesOf(LEAF, this.#keys).newest);
    const sealed = await seal({ ...verified }, key, this.#clock.now() + this.#limits.absolute_ms);
    await this.#renew(nameOf(id), sealed);
    return id;
  }

  /** Counts as use. Null: the session does not exist, or has ended. */
  async find(id: string): Promise<Verified | null> {
    if (!ID.test(id)) return null;
    const sealed = await (await this.#store).leaseHolder(nameOf(id));
    const verified = sealed === null ? null : await this.#opened(id, sealed);
    return sealed !== null && verified !== null && (await this.#renew(nameOf(id), sealed)) ? verified : null;
  }

  /** When this resolves, no process accepts the session any longer. */
  async end(id: string): Promise<void> {
    const store = await this.#store;
    const name = nameOf(id);
    const sealed = await store.leaseHolder(name);
    if (sealed === null) return;
    do {
      const lease = await store.acquireLease(name, sealed, 1);
      if (lease !== null) await store.releaseLease(lease);
      // Repeated if a request in progress has renewed the session in between.
    } while ((await store.acquireLease(name, ENDED, this.#limits.absolute_ms)) === null);
  }

  async #opened(id: string, sealed: string): Promise<Verified | null> {
    for (const leaf of leavesOf(LEAF, this.#keys).all) {
      const verified = await unseal<Verified>(sealed, derived(id, 'content', leaf), this.#clock.now());
      if (verified !== null) return verified;
    }
    return null;
  }

  /** False: the session was ended. */
  async #renew(name: string, sealed: string): Promise<boolean> {
    const now = this.#clock.monotonic();
    if (now - (this.#renewed.get(name) ?? Number.NEGATIVE_INFINITY) < RENEW_MS) return true;
    for (const [other, at] of this.#renewed) {
      if (now - at < RENEW_MS) break;
      this.#renewed.delete(other);
    }
    this.#renewed.set(name, now);
    return (await (await this.#store).acquireLease(name, sealed, this.#limits.idle_ms)) !== null;
  }
}

/** The token that the session's pages must send, so that another site cannot send requests in the session's name. */
export function csrfOf(id: string): string {
  return derived(id, 'csrf').toString('base64url');
}

function nameOf(id: string): string {
  return PREFIX + derived(id, 'name').toString('hex');
}

/**
 * 32 bytes that reveal nothing about the id, nor about each other.
 * @param salt a secret outside the store, if knowing the id must not be enough
 */
function derived(id: string, what: 'name' | 'content' | 'csrf', salt: Uint8Array = new Uint8Array()): Buffer {
  return Buffer.from(hkdfSync('sha256', id, salt, `svc session ${what}`, 32));
}
