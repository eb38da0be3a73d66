import { createHmac, randomBytes } from 'node:crypto';
import { HANDLE_PREFIX, isHandle } from '@svc/protocols';
import { decrypt, encrypt } from './cipher.ts';
import type { ContentKey, ContentKeys } from './key-tree.ts';

/** The owner of a handle. It is decrypted only for the model that its value came from, on the same route, for the caller that received it. */
export interface HandleOwner {
  readonly principal_id: string;
  /** The provider's name in the configuration. */
  readonly provider: string;
  /** The model's name at the provider. */
  readonly model: string;
  readonly route: string;
}

/**
 * The leaf of the content key for all handles. No run has this id. All handles share it because deriving a leaf takes 64 hashes, too many for each
 * handle of a long conversation.
 */
const LEAF = 'opaque handles';
/** Each handle has its own key, so the number of handles is unlimited. */
const SALT_BYTES = 16;

/**
 * Encrypts values that no guard can read before a caller gets them, and decrypts them when the caller sends them back. So an upstream cannot hide
 * text from the guards in such a value. Nothing is stored: the handle contains the value.
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

  /** The value of a handle. Null if the handle was not made for this owner, or its key no longer exists. */
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

/** JSON, because names may contain any separator. */
function bindingOf({ principal_id, provider, model, route }: HandleOwner): string {
  return JSON.stringify(['opaque', principal_id, provider, model, route]);
}
