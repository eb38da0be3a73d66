import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Store, SvcError } from '@svc/contracts';
import type { ContentKeys } from '../content/key-tree.ts';
import { KeyWrapping, textOfWrapped, wrappedIn } from '../content/key-wrapping.ts';

/** Its value: {@link textOfWrapped}. */
const KEY = 'operations/key';
/** The leaf of the content key; neither a run nor a namespace has such an id. */
const LEAF = 'operations log';
const KEY_BYTES = 32;

/**
 * What the records of the operations log are authenticated with: a random key, wrapped by the content key as those of namespaces are. So
 * whoever can write to the store, and has no more than that, cannot make a record. It is made for the first record and never destroyed.
 */
export class OperationsKey {
  readonly #meta: Pick<Store, 'readMeta' | 'writeMeta'>;
  readonly #wrapping: KeyWrapping;
  #plain: Buffer | null = null;

  constructor(meta: Pick<Store, 'readMeta' | 'writeMeta'>, keys: ContentKeys) {
    this.#meta = meta;
    this.#wrapping = new KeyWrapping(keys);
  }

  /** Null: there is none. @throws {SvcError} SVC-STORE-001 where it cannot be unwrapped */
  async find(): Promise<Buffer | null> {
    if (this.#plain !== null) return this.#plain;
    const text = await this.#meta.readMeta(KEY);
    if (text === null) return null;
    this.#plain = this.#unwrapped(text);
    if (this.#plain === null)
      throw new SvcError(
        'SVC-STORE-001',
        'the key of the operations log cannot be read: bring back the content key that wraps it',
      );
    return this.#plain;
  }

  /** The same, made where there is none. @throws {SvcError} as {@link find} */
  async ensure(): Promise<Buffer> {
    for (;;) {
      const found = await this.find();
      if (found !== null) return found;
      await this.#meta.writeMeta(KEY, null, this.#wrapped(randomBytes(KEY_BYTES)));
    }
  }

  /** Whether there is one that no configured content key unwraps. */
  async isLost(): Promise<boolean> {
    const text = await this.#meta.readMeta(KEY);
    return text !== null && this.#unwrapped(text) === null;
  }

  /** Puts another in place of one that is lost. */
  async replace(make: (plain: Buffer) => Promise<void>): Promise<void> {
    const lost = await this.#meta.readMeta(KEY);
    const plain = randomBytes(KEY_BYTES);
    await make(plain);
    await this.#meta.writeMeta(KEY, lost, this.#wrapped(plain));
  }

  /** Wraps it by the newest content key. @returns false where it was changed meanwhile: to be tried again */
  async rewrap(): Promise<boolean> {
    const text = await this.#meta.readMeta(KEY);
    const plain = await this.find();
    if (text === null || plain === null || this.#wrapping.isNewest(wrappedIn(text))) return true;
    return this.#meta.writeMeta(KEY, text, this.#wrapped(plain));
  }

  #unwrapped(text: string): Buffer | null {
    return this.#wrapping.unwrap(LEAF, wrappedIn(text));
  }

  #wrapped(plain: Buffer): string {
    const wrapped = this.#wrapping.wrap(LEAF, plain);
    if (wrapped === null) throw new TypeError('the content key has forgotten the operations log');
    return textOfWrapped(wrapped);
  }
}

/** HMAC-SHA-256 of a record, in base64. */
export function tagOf(key: Buffer, bytes: string): string {
  return createHmac('sha256', key).update(bytes).digest('base64');
}

export function isTagOf(tag: string, key: Buffer, bytes: string): boolean {
  const [given, right] = [Buffer.from(tag), Buffer.from(tagOf(key, bytes))];
  return given.length === right.length && timingSafeEqual(given, right);
}
