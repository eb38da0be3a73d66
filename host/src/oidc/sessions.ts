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
/** Holds the lease of a session that was ended, so that no request under way can take it again. */
const ENDED = 'ended';
/** A session is renewed at most this often. */
const RENEW_MS = 60_000;
/** Long after any request that might still renew it. */
const LAPSED_MS = 3_600_000;

/** Whom an issuer verified. */
export interface Verified {
  readonly issuer: string;
  readonly claims: JWTPayload;
}

type Leases = Pick<Store, 'acquireLease' | 'releaseLease' | 'leaseHolder' | 'forgetLeases'>;

/**
 * Sessions as leases of the store, so that every process knows them and their end. The lease is named by a hash of the session's id, its
 * holder is the session, encrypted by a key of the id and the content key, and its time is the idle limit. So the store cannot tell whose it is,
 * and whoever writes to the store can make none.
 */
export class Sessions {
  readonly #store: Promise<Leases>;
  readonly #clock: Clock;
  readonly #limits: SessionLimits;
  readonly #keys: ContentKeys;
  /** When this process renewed a lease, on the monotonic clock, the oldest first. None is older than a minute at the next one. */
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

  /** Counts as use. Null: no such session, or not any more. */
  async find(id: string): Promise<Verified | null> {
    if (!ID.test(id)) return null;
    const sealed = await (await this.#store).leaseHolder(nameOf(id));
    const verified = sealed === null ? null : await this.#opened(id, sealed);
    return sealed !== null && verified !== null && (await this.#renew(nameOf(id), sealed)) ? verified : null;
  }

  /** No process accepts it once this resolves. */
  async end(id: string): Promise<void> {
    const store = await this.#store;
    const name = nameOf(id);
    const sealed = await store.leaseHolder(name);
    if (sealed === null) return;
    do {
      const lease = await store.acquireLease(name, sealed, 1);
      if (lease !== null) await store.releaseLease(lease);
      // Unless a request under way has renewed it in between.
    } while ((await store.acquireLease(name, ENDED, this.#limits.absolute_ms)) === null);
  }

  async #opened(id: string, sealed: string): Promise<Verified | null> {
    for (const leaf of leavesOf(LEAF, this.#keys).all) {
      const verified = await unseal<Verified>(sealed, derived(id, 'content', leaf), this.#clock.now());
      if (verified !== null) return verified;
    }
    return null;
  }

  /** False: it was ended. */
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

/** What a page of the session has to send, so that another site cannot ask in its name. */
export function csrfOf(id: string): string {
  return derived(id, 'csrf').toString('base64url');
}

function nameOf(id: string): string {
  return PREFIX + derived(id, 'name').toString('hex');
}

/**
 * 32 bytes that tell nothing of the id, nor of each other.
 * @param salt a secret that the store does not have, where who knows the id must not know them
 */
function derived(id: string, what: 'name' | 'content' | 'csrf', salt: Uint8Array = new Uint8Array()): Buffer {
  return Buffer.from(hkdfSync('sha256', id, salt, `svc session ${what}`, 32));
}
