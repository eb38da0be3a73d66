import { randomBytes } from 'node:crypto';
import { type ContentItem, type Store, SvcError } from '@svc/contracts';
import type { RunKey } from '@svc/kernel/ports';
import { decrypt, encrypt } from './cipher.ts';
import type { ContentKeys } from './key-tree.ts';
import { ForgettingKeyWrapping, type WrappedKey } from './key-wrapping.ts';
import { UnknownContentKey } from './unknown-content-key.ts';

/** Name of the content item that holds a run's wrapped key. */
export const KEY_CONTENT = 'key';
/** The meta value with the current content key and the start of encryption: `<id> <milliseconds since the epoch>`. */
const ENCRYPTION = 'content/sealed';
const ID_BYTES = 8;
const EXPIRY_BYTES = 8;
/** After the first start of a release that encrypts, an older release may run beside it for this long. */
const UNENCRYPTED_MS = 86_400_000;
/** First byte of content that an older release wrote. */
const JSON_OBJECT = 0x7b;

/** The run that content belongs to. The run's key is created with the first item. */
export interface ContentOwner {
  readonly run_id: string;
  contentKey: RunKey | null;
}

/**
 * Encrypts all content before it reaches the store. Every item is encrypted under the key of its run, and the wrapped key is stored beside it. An
 * item is bound to its run and its name, so it cannot be passed off as another one.
 */
export class ContentVault {
  readonly #store: Store;
  readonly #keys: ContentKeys;
  readonly #wrapping: ForgettingKeyWrapping;
  /** Runs created before this time may have unencrypted content, written by an older release. */
  #encryptedSince = 0;

  constructor(store: Store, keys: ContentKeys) {
    this.#store = store;
    this.#keys = keys;
    this.#wrapping = new ForgettingKeyWrapping(store, keys);
  }

  /**
   * Records the newest key in the store if the recorded key is older or missing.
   * @throws {UnknownContentKey} if stored content cannot be read with these keys
   */
  async open(now: number): Promise<void> {
    const { newest, older } = this.#keys;
    const remembered = await this.#store.readMeta(ENCRYPTION);
    const since = await this.#since(remembered, now);
    const id = remembered?.split(' ')[0] ?? null;
    this.#encryptedSince = since;
    if (id === newest.id) return;
    if (id !== null && !older.some((key) => key.id === id)) throw new UnknownContentKey(id, newest.id);
    if (!(await this.#store.writeMeta(ENCRYPTION, remembered, `${newest.id} ${since}`))) await this.open(now);
  }

  /** As {@link open}, for a reader: writes nothing. @throws {UnknownContentKey} */
  async openToRead(): Promise<void> {
    const { newest, older } = this.#keys;
    const [id, since] = (await this.#store.readMeta(ENCRYPTION))?.split(' ') ?? [];
    if (id !== undefined && ![newest, ...older].some((key) => key.id === id)) throw new UnknownContentKey(id, newest.id);
    this.#encryptedSince = since === undefined ? Number.POSITIVE_INFINITY : Number(since);
  }

  /** Uses this key from now on, whatever key the store has on record. Call this only for a store without content. */
  async adopt(now: number): Promise<void> {
    const remembered = await this.#store.readMeta(ENCRYPTION);
    await this.#store.writeMeta(ENCRYPTION, remembered, `${this.#keys.newest.id} ${await this.#since(remembered, now)}`);
  }

  /** When encryption began in this store: later in an existing store, because a release that does not encrypt may still be writing. */
  async #since(remembered: string | null, now: number): Promise<number> {
    const since = remembered?.split(' ')[1];
    if (since !== undefined) return Number(since);
    return (await this.#store.head()) === null ? now : now + UNENCRYPTED_MS;
  }

  /**
   * Encrypts items, and adds the run's wrapped key, which expires with the last of them. Without items, adds no key.
   * @param until when the run's other items expire, in milliseconds since the epoch; null: never
   */
  seal(owner: ContentOwner, items: readonly ContentItem[], until: number | null = 0): ContentItem[] {
    if (items.length === 0) return [];
    owner.contentKey ??= this.#newKey(owner.run_id);
    const { plain, wrapped } = owner.contentKey;
    const last = Math.max(...[until, ...items.map(({ expires_at }) => expires_at)].map((end) => end ?? Number.POSITIVE_INFINITY));
    return [
      keyItem(wrapped, Number.isFinite(last) ? last : null),
      ...items.map(({ name, bytes, expires_at }) => ({
        name,
        bytes: encrypt(plain, bindingOf(owner.run_id, name), bytes),
        expires_at,
      })),
    ];
  }

  /** Null if there is no such content. @throws {SvcError} SVC-RUN-005 if it cannot be decrypted */
  async read(run_id: string, name: string): Promise<{ bytes: Uint8Array; key: RunKey | null } | null> {
    const encrypted = await this.#store.content(run_id, name);
    if (encrypted === null) return null;
    const kept = await this.#store.content(run_id, KEY_CONTENT);
    const wrapped = kept === null ? null : wrappedIn(kept);
    if (wrapped === null && encrypted[0] === JSON_OBJECT && madeAt(run_id) < this.#encryptedSince)
      return { bytes: encrypted, key: null };
    const plain = wrapped === null ? null : this.#wrapping.unwrap(run_id, wrapped);
    const bytes = plain === null ? null : decrypt(plain, bindingOf(run_id, name), encrypted);
    if (wrapped === null || plain === null || bytes === null) {
      // Item and key are not read atomically: either may have been deleted or replaced in between.
      const now = await this.#store.content(run_id, name);
      if (now === null) return null;
      if (!Buffer.from(now).equals(encrypted)) return this.read(run_id, name);
      throw new SvcError('SVC-RUN-005', 'the content of this run cannot be read: its key is missing, or it was altered', {
        run_id,
      });
    }
    return { bytes, key: { plain, wrapped } };
  }

  /**
   * Deletes all content of a run, and makes its key unrecoverable in every place where this gateway stores the content key.
   * @returns whether the run is also unreadable in older copies of the store
   */
  async erase(run_id: string): Promise<boolean> {
    await this.#store.eraseContent(run_id);
    return this.#wrapping.forget(run_id);
  }

  /** Whether {@link erase} can still make the run unreadable in older copies of the store. */
  remembers(run_id: string): boolean {
    return this.#wrapping.remembers(run_id);
  }

  /** The run's key, wrapped with the newest content key. Null if it is already wrapped with that key, or cannot be unwrapped. */
  async rewrapped(run_id: string): Promise<ContentItem | null> {
    const kept = await this.#store.content(run_id, KEY_CONTENT);
    const wrapped = kept === null ? null : wrappedIn(kept);
    if (kept === null || wrapped === null || this.#wrapping.isNewest(wrapped)) return null;
    const plain = this.#wrapping.unwrap(run_id, wrapped);
    return plain === null ? null : keyItem(this.#wrap(run_id, plain), expiryIn(kept));
  }

  /** Whether the newest key is the one on record in the store. During a rotation, some processes still use the previous one. */
  async isCurrent(): Promise<boolean> {
    return (await this.#store.readMeta(ENCRYPTION))?.split(' ')[0] === this.#keys.newest.id;
  }

  #newKey(run_id: string): RunKey {
    const plain = randomBytes(32);
    return { plain, wrapped: this.#wrap(run_id, plain) };
  }

  #wrap(run_id: string, plain: Buffer): WrappedKey {
    const wrapped = this.#wrapping.wrap(run_id, plain);
    if (wrapped === null) throw new SvcError('SVC-RUN-005', 'the content of this run was erased', { run_id });
    return wrapped;
  }
}

/** The stored form: expiry (0: never), id of the wrapping key, and the wrapped key. */
function keyItem({ id, encrypted }: WrappedKey, expires_at: number | null): ContentItem {
  const until = Buffer.alloc(EXPIRY_BYTES);
  until.writeBigUInt64BE(BigInt(expires_at ?? 0));
  return { name: KEY_CONTENT, bytes: Buffer.concat([until, Buffer.from(id, 'hex'), encrypted]), expires_at };
}

function wrappedIn(kept: Uint8Array): WrappedKey {
  const id = Buffer.from(kept.subarray(EXPIRY_BYTES, EXPIRY_BYTES + ID_BYTES)).toString('hex');
  return { id, encrypted: kept.subarray(EXPIRY_BYTES + ID_BYTES) };
}

function expiryIn(kept: Uint8Array): number | null {
  const until = Number(Buffer.from(kept.subarray(0, EXPIRY_BYTES)).readBigUInt64BE());
  return until === 0 ? null : until;
}

function bindingOf(run_id: string, name: string): string {
  return `${run_id}/${name}`;
}

/** The time in a run's id, in milliseconds since the epoch. */
export function madeAt(run_id: string): number {
  return Number.parseInt(run_id.slice(0, 13).replace('-', ''), 16);
}
