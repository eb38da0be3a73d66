import { HANDLE_PREFIX, isHandle } from '../segments/opaque-values.ts';
import { decrypt, encrypt } from './cipher.ts';
import type { ContentKeys } from './key-tree.ts';

/** Whose handles they are: they go back to the provider from which their values came, for the caller that got them. */
export interface HandleOwner {
  readonly principal_id: string;
  /** The provider's name in the configuration. */
  readonly provider: string;
}

/**
 * Encrypts what no guard can read before a caller gets it, and decrypts it when it comes back. Nothing is stored: the handle holds the value.
 * So an upstream cannot write text into a place that no guard reads, and a caller cannot send any. A handle is also bound to the run that it
 * came from: whoever erases that run makes it unreadable.
 */
export class OpaqueHandles {
  readonly #keys: ContentKeys;

  constructor(keys: ContentKeys) {
    this.#keys = keys;
  }

  /** Null where the run was erased. */
  make(run_id: string, owner: HandleOwner, value: string): string | null {
    const key = this.#keys.newest.keyFor(run_id);
    if (key === null) return null;
    const run = Buffer.from(run_id);
    const encrypted = encrypt(key, bindingOf(run_id, owner), Buffer.from(value));
    return HANDLE_PREFIX + Buffer.concat([Buffer.of(run.length), run, encrypted]).toString('base64url');
  }

  /** The value; null for what {@link make} did not give to this owner, and where its key is gone. */
  open(handle: string, owner: HandleOwner): string | null {
    if (!isHandle(handle)) return null;
    const bytes = Buffer.from(handle.slice(HANDLE_PREFIX.length), 'base64url');
    const length = bytes[0] ?? 0;
    const run_id = bytes.toString('utf8', 1, 1 + length);
    const encrypted = bytes.subarray(1 + length);
    for (const tree of [this.#keys.newest, ...this.#keys.older]) {
      const key = tree.keyFor(run_id);
      const value = key === null ? null : decrypt(key, bindingOf(run_id, owner), encrypted);
      if (value !== null) return value.toString();
    }
    return null;
  }
}

/** As JSON, since names may hold any separator. */
function bindingOf(run_id: string, { principal_id, provider }: HandleOwner): string {
  return JSON.stringify(['opaque', run_id, principal_id, provider]);
}
