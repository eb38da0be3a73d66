import { createHmac, randomBytes } from 'node:crypto';
import { HANDLE_PREFIX, isHandle } from '@svc/protocols';
import { decrypt, encrypt } from './cipher.ts';
import type { ContentKey, ContentKeys } from './key-tree.ts';

/** Whose handles they are: they go back to the model from which their values came, on the same route, for the caller that got them. */
export interface HandleOwner {
  readonly principal_id: string;
  /** The provider's name in the configuration. */
  readonly provider: string;
  /** The provider's name of the model. */
  readonly model: string;
  readonly route: string;
}

/** The leaf of the content key for all handles; no run has this id. A leaf takes 64 hashes, too many for each of a long conversation. */
const LEAF = 'opaque handles';
/** Each handle has a key of its own, so that their number has no bound. */
const SALT_BYTES = 16;

/**
 * Encrypts what no guard can read before a caller gets it, and decrypts it when it comes back. Nothing is stored: the handle holds the value.
 * So an upstream cannot write text into a place that no guard reads.
 */
export class OpaqueHandles {
  readonly #keys: ContentKeys;
  readonly #leaves = new WeakMap<ContentKey, Buffer>();

  constructor(keys: ContentKeys) {
    this.#keys = keys;
  }

  make(owner: HandleOwner, value: string): string {
    const salt = randomBytes(SALT_BYTES);
    const encrypted = encrypt(this.#key(this.#keys.newest, salt), bindingOf(owner), Buffer.from(value));
    return HANDLE_PREFIX + Buffer.concat([salt, encrypted]).toString('base64url');
  }

  /** The value; null if {@link make} did not make it for this owner, or its key is gone. */
  open(handle: string, owner: HandleOwner): string | null {
    if (!isHandle(handle)) return null;
    const bytes = Buffer.from(handle.slice(HANDLE_PREFIX.length), 'base64url');
    const [salt, encrypted] = [bytes.subarray(0, SALT_BYTES), bytes.subarray(SALT_BYTES)];
    for (const tree of [this.#keys.newest, ...this.#keys.older]) {
      const value = decrypt(this.#key(tree, salt), bindingOf(owner), encrypted);
      if (value !== null) return value.toString();
    }
    return null;
  }

  #key(tree: ContentKey, salt: Buffer): Buffer {
    const leaf = this.#leaves.get(tree) ?? tree.keyFor(LEAF);
    if (leaf === null) throw new Error('the content key lacks the secret for opaque handles: restore the complete content key');
    this.#leaves.set(tree, leaf);
    return createHmac('sha256', leaf).update(salt).digest();
  }
}

/** As JSON, since names may hold any separator. */
function bindingOf({ principal_id, provider, model, route }: HandleOwner): string {
  return JSON.stringify(['opaque', principal_id, provider, model, route]);
}
