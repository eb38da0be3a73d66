import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { type Lease, type Store, SvcError } from '@svc/contracts';
import { decrypt, encrypt } from './cipher.ts';
import type { ContentKeys } from './key-tree.ts';

/** The lease that is held while the content key is changed. */
const LEASE = 'content_key';
const LEASE_MS = 10_000;
/** An erasure waits for others for up to 3 s. */
const TRY_EVERY_MS = 50;
const MAX_TRIES = 60;
/** Maximum number of leaves in one change of the key. Such a change takes less time than the lease lasts, and than other callers wait for it. */
const MAX_TOGETHER = 64;

/** A data key as it is stored. */
export interface WrappedKey {
  /** Id of the content key that wraps it. */
  readonly id: string;
  readonly encrypted: Uint8Array;
}

/** A wrapped key as text: `<id of the content key> <wrapped key, base64>`. */
export function textOfWrapped({ id, encrypted }: WrappedKey): string {
  return `${id} ${Buffer.from(encrypted).toString('base64')}`;
}

export function wrappedIn(text: string): WrappedKey {
  const [id = '', encrypted = ''] = text.split(' ');
  return { id, encrypted: Buffer.from(encrypted, 'base64') };
}

/** Wraps data keys with the content key. `leaf` names the owner of a data key, for example by the id of a run. */
export class KeyWrapping {
  readonly #keys: ContentKeys;

  constructor(keys: ContentKeys) {
    this.#keys = keys;
  }

  /** Wraps a data key with the newest content key. Null if that key has forgotten the leaf. */
  wrap(leaf: string, plain: Uint8Array): WrappedKey | null {
    const { newest } = this.#keys;
    const wrapping = newest.keyFor(leaf);
    return wrapping === null ? null : { id: newest.id, encrypted: encrypt(wrapping, bindingOf(leaf), plain) };
  }

  /** Null if the content key no longer exists, or if the leaf was erased from it. */
  unwrap(leaf: string, { id, encrypted }: WrappedKey): Buffer | null {
    const key = [this.#keys.newest, ...this.#keys.older].find((one) => one.id === id);
    const wrapping = key?.keyFor(leaf) ?? null;
    return wrapping === null ? null : decrypt(wrapping, bindingOf(leaf), encrypted);
  }

  isNewest({ id }: WrappedKey): boolean {
    return id === this.#keys.newest.id;
  }
}

/** A change of the content key that has not started. */
interface Change {
  readonly leaves: string[];
  readonly forgotten: Promise<void>;
}

/** A key wrapping that can also make the content key forget data keys. */
export class ForgettingKeyWrapping extends KeyWrapping {
  readonly #leases: Pick<Store, 'acquireLease' | 'releaseLease'>;
  readonly #keys: ContentKeys;
  readonly #holder = randomUUID();
  #forgetting: Promise<void> = Promise.resolve();
  /** The next change. It serves all callers that arrive while another change is in progress. */
  #waiting: Change | null = null;

  constructor(leases: Pick<Store, 'acquireLease' | 'releaseLease'>, keys: ContentKeys) {
    super(keys);
    this.#leases = leases;
    this.#keys = keys;
  }

  /** Whether {@link forget} would change the content key. */
  remembers(leaf: string): boolean {
    return this.#keys.forget !== null && this.#keys.newest.keyFor(leaf) !== null;
  }

  /**
   * Makes the content key forget a leaf, in every place where this gateway stores that key. If the leaf is already forgotten, nothing is written.
   * @returns whether older copies of the store are now unreadable
   * @throws {SvcError} SVC-BUSY-001, SVC-STORE-001
   */
  async forget(leaf: string): Promise<boolean> {
    const { forget, older } = this.#keys;
    if (forget === null) return false;
    if (this.remembers(leaf)) {
      if (this.#waiting === null || this.#waiting.leaves.length >= MAX_TOGETHER) this.#waiting = this.#afterOthers(forget);
      this.#waiting.leaves.push(leaf);
      await this.#waiting.forgotten;
    }
    return older.length === 0;
  }

  #afterOthers(forget: (leaves: readonly string[]) => Promise<void>): Change {
    const leaves: string[] = [];
    const forgotten = this.#forgetting.then(() => {
      if (this.#waiting?.leaves === leaves) this.#waiting = null;
      return this.#alone(() => forget(leaves));
    });
    this.#forgetting = forgotten.catch(() => undefined);
    return { leaves, forgotten };
  }

  /** Only one process at a time erases. Otherwise one could write back what another has forgotten. */
  async #alone(work: () => Promise<void>): Promise<void> {
    const lease = await this.#acquireLease();
    if (lease === null) throw new SvcError('SVC-BUSY-001', 'another gateway is erasing content; try again', { retry_after_s: 1 });
    try {
      await work();
    } catch (cause) {
      throw new SvcError('SVC-STORE-001', 'the file of the content key cannot be changed: check its disk and permissions', {
        cause,
      });
    } finally {
      await this.#leases.releaseLease(lease);
    }
  }

  /** Null if other holders had the lease the whole time. */
  async #acquireLease(): Promise<Lease | null> {
    for (let tries = MAX_TRIES; tries > 0; tries -= 1) {
      const lease = await this.#leases.acquireLease(LEASE, this.#holder, LEASE_MS);
      if (lease !== null) return lease;
      await setTimeout(TRY_EVERY_MS);
    }
    return null;
  }
}

function bindingOf(leaf: string): string {
  return `${leaf}/key`;
}
