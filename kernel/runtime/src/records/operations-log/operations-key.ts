import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Store, SvcError } from '@svc/contracts';
import type { ContentKeys } from '../../content/key-tree.ts';
import { KeyWrapping, textOfWrapped, type WrappedKey, wrappedIn } from '../../content/key-wrapping.ts';

/**
 * Name of the value: {@link textOfWrapped} of the key and, during an exchange, of the earlier keys, newest first. Each key stays wrapped with the
 * content key of its time. When that is removed, an old value becomes useless.
 */
const KEY = 'operations/key';
/** The leaf of the content key for this log. No run or namespace has such an id. */
const LEAF = 'operations log';
const KEY_BYTES = 32;

/** A record in its stored form. */
export interface TaggedRecord {
  readonly tag: string;
  readonly bytes: string;
}

/**
 * Authenticates the records of the operations log. It is a random key, wrapped with the content key, so write access to the store is not enough to
 * forge a record. It is created for the first record, and replaced when the content key changes, because anyone with the previous content key can
 * unwrap it.
 */
export class OperationsKey {
  readonly #meta: Pick<Store, 'readMeta' | 'writeMeta'>;
  readonly #wrapping: KeyWrapping;
  /** The newest key and, during an exchange, its predecessors. Empty before the first read. */
  #plain: readonly Buffer[] = [];
  /** The seq of the first record with a tag by the newest key. In later records, tags by older keys are invalid. */
  #since = Number.POSITIVE_INFINITY;
  /** Reads are serialised, so that an older value never replaces a newer one. */
  #reading: Promise<unknown> = Promise.resolve();

  constructor(meta: Pick<Store, 'readMeta' | 'writeMeta'>, keys: ContentKeys) {
    this.#meta = meta;
    this.#wrapping = new KeyWrapping(keys);
  }

  /** Whether a gateway wrote this record. @throws {SvcError} SVC-STORE-001 if the key is missing or cannot be unwrapped */
  async vouchesFor(seq: number, record: TaggedRecord): Promise<boolean> {
    if (this.#isTagged(seq, record)) return true;
    // Another process may have exchanged the key.
    await this.#read();
    if (this.#plain.length === 0) throw unreadable('is missing: restore the value operations/key in the store');
    return this.#isTagged(seq, record);
  }

  /** The tag by the newest key for a text that is not a record. */
  async tag(text: string): Promise<string> {
    return tagOf(await this.ensure(), text);
  }

  /** Whether this is the tag of a text by the newest key. */
  async isTagByNewest(tag: string, text: string): Promise<boolean> {
    if (this.#plain.length === 0) await this.#read();
    const [newest] = this.#plain;
    return newest !== undefined && isTagOf(tag, newest, text);
  }

  /** The key for the tags of new records. It is created if there is none. @throws {SvcError} SVC-STORE-001 if it cannot be unwrapped */
  async ensure(): Promise<Buffer> {
    for (;;) {
      if (this.#plain.length === 0) await this.#read();
      const [newest] = this.#plain;
      if (newest !== undefined) return newest;
      await this.#meta.writeMeta(KEY, null, this.#wrapped(randomBytes(KEY_BYTES)));
    }
  }

  /** Creates a new key if the current one is not wrapped with the newest content key. Earlier keys remain valid for the records that they tagged. */
  async renew(): Promise<void> {
    for (;;) {
      const text = await this.#meta.readMeta(KEY);
      if (text === null || this.#wrapping.isNewest(wrappedIn(text))) return;
      if (await this.#meta.writeMeta(KEY, text, `${this.#wrapped(randomBytes(KEY_BYTES))} ${text}`)) return this.#read();
    }
  }

  /**
   * Removes the earlier keys.
   * @param retag tags every record with the newest key; returns false if it cannot yet
   * @returns false if it must be retried
   */
  async end(retag: (newest: Buffer) => Promise<boolean>): Promise<boolean> {
    const text = await this.#meta.readMeta(KEY);
    const [newest, ...before] = text === null ? [] : allIn(text);
    if (text === null || newest === undefined || before.length === 0) return true;
    const plain = this.#wrapping.unwrap(LEAF, newest);
    if (plain === null || !(await retag(plain))) return false;
    // If the value differs, another process has created a key that has not tagged any record yet.
    const isEnded = await this.#meta.writeMeta(KEY, text, textOfWrapped(newest));
    await this.#read();
    return isEnded;
  }

  /** Whether there is no key, or no configured content key can unwrap it. */
  async isLost(): Promise<boolean> {
    const text = await this.#meta.readMeta(KEY);
    return text === null || this.#unwrapped(text).includes(null);
  }

  /** Replaces a lost key. */
  async replace(make: (plain: Buffer) => Promise<void>): Promise<void> {
    const lost = await this.#meta.readMeta(KEY);
    const plain = randomBytes(KEY_BYTES);
    await make(plain);
    await this.#meta.writeMeta(KEY, lost, this.#wrapped(plain));
  }

  #isTagged(seq: number, { tag, bytes }: TaggedRecord): boolean {
    const by = this.#plain.findIndex((key) => isTagOf(tag, key, bytes));
    if (by === 0) this.#since = Math.min(this.#since, seq);
    return by === 0 || (by > 0 && seq < this.#since);
  }

  #read(): Promise<void> {
    const read = this.#reading.then(async () => {
      const text = await this.#meta.readMeta(KEY);
      const found = text === null ? [] : this.#unwrapped(text);
      const plain = found.filter((key) => key !== null);
      if (plain.length < found.length) throw unreadable('cannot be decrypted: restore the content key that encrypts it');
      const [newest] = plain;
      const [known] = this.#plain;
      // The stored value always contains the newest key that this process knows, until it has read a newer one. If that key is missing, someone has
      // restored an older value.
      if (known !== undefined && !plain.some((key) => key.equals(known)))
        throw unreadable(
          'is unknown to this process: restart it. If that does not help, restore the value operations/key in the store',
        );
      if (newest === undefined || known?.equals(newest) !== true) this.#since = Number.POSITIVE_INFINITY;
      this.#plain = plain;
    });
    this.#reading = read.catch(() => undefined);
    return read;
  }

  #unwrapped(text: string): (Buffer | null)[] {
    return allIn(text).map((wrapped) => this.#wrapping.unwrap(LEAF, wrapped));
  }

  #wrapped(plain: Buffer): string {
    const wrapped = this.#wrapping.wrap(LEAF, plain);
    if (wrapped === null)
      throw new TypeError('the content key lacks the secret for the operations log: restore the complete content key');
    return textOfWrapped(wrapped);
  }
}

function unreadable(why: string): SvcError {
  return new SvcError('SVC-STORE-001', `the key of the operations log ${why}`);
}

function allIn(text: string): WrappedKey[] {
  const parts = text.split(' ');
  return parts.flatMap((id, index) => (index % 2 === 0 ? [wrappedIn(`${id} ${parts[index + 1] ?? ''}`)] : []));
}

/** HMAC-SHA-256 of a record, in base64. */
export function tagOf(key: Buffer, bytes: string): string {
  // Node takes three times as long if the key is a buffer.
  return createHmac('sha256', createSecretKey(key)).update(bytes).digest('base64');
}

export function isTagOf(tag: string, key: Buffer, bytes: string): boolean {
  const [given, right] = [Buffer.from(tag), Buffer.from(tagOf(key, bytes))];
  return given.length === right.length && timingSafeEqual(given, right);
}
