import { randomBytes } from 'node:crypto';
import { type Store, SvcError } from '@svc/contracts';
import type { ContentKeys } from './key-tree.ts';
import { ForgettingKeyWrapping, textOfWrapped, type WrappedKey, wrappedIn } from './key-wrapping.ts';

/** Prefix of the keys in the store. The value is `<id> ` and {@link textOfWrapped}; `<id> erasing` during an erasure; empty afterwards. */
const KEY = 'rag/key/';
/** A JSON list of every namespace that has ever had a key. Names are never removed, because a removal could race with a new key for the same name. */
const NAMES = 'rag/namespaces';
const ERASING = 'erasing';

/** The parts of a store that namespace keys need. */
export type MetaStore = Pick<Store, 'readMeta' | 'writeMeta' | 'acquireLease' | 'releaseLease'>;

/** The key of a namespace's documents. After an erasure, the namespace gets a key with another id. */
export interface NamespaceKey {
  /** 16 hex characters. */
  readonly id: string;
  /** 32 bytes. */
  readonly plain: Buffer;
}

type Kept = { readonly id: string; readonly wrapped: WrappedKey | typeof ERASING };

/** Keeps one random key for each namespace, as a meta value of the store. Like the keys of runs, they are wrapped with the content key. */
export class NamespaceKeys {
  readonly #store: MetaStore;
  readonly #wrapping: ForgettingKeyWrapping;

  constructor(store: MetaStore, keys: ContentKeys) {
    this.#store = store;
    this.#wrapping = new ForgettingKeyWrapping(store, keys);
  }

  /**
   * The key of a namespace, or null.
   * @throws {SvcError} SVC-RAG-003 if it cannot be unwrapped, SVC-BUSY-001 while the namespace is being erased
   */
  async find(namespace: string): Promise<NamespaceKey | null> {
    return this.#open(await this.#store.readMeta(KEY + namespace));
  }

  /** The key of a namespace, created if there is none. @throws {SvcError} as {@link find} */
  async ensure(namespace: string): Promise<NamespaceKey> {
    for (;;) {
      const text = await this.#store.readMeta(KEY + namespace);
      const found = this.#open(text);
      if (found !== null) return found;
      // The name is listed first, so that no rotation of the content key misses the new key.
      await this.#list(namespace);
      const made = { id: randomBytes(8).toString('hex'), plain: randomBytes(32) };
      if (await this.#store.writeMeta(KEY + namespace, text, this.#wrapped(made))) return made;
    }
  }

  /** Whether a namespace has a key, or an unfinished erasure. */
  async has(namespace: string): Promise<boolean> {
    return keptIn(await this.#store.readMeta(KEY + namespace)) !== null;
  }

  /** Whether a namespace still has this key. */
  async holds(namespace: string, { id }: NamespaceKey): Promise<boolean> {
    const kept = keptIn(await this.#store.readMeta(KEY + namespace));
    return kept?.id === id && kept.wrapped !== ERASING;
  }

  /**
   * Destroys the key of a namespace. May be repeated after a failure. The namespace is closed until the erasure succeeds.
   * @param drop deletes the documents, after the namespace is closed and before its key is destroyed
   * @returns whether older copies of the documents are unreadable; false for a namespace without a key
   * @throws {SvcError} SVC-BUSY-001, SVC-STORE-001; errors of `drop`
   */
  async erase(namespace: string, drop: () => Promise<void>): Promise<boolean> {
    const id = await this.#close(namespace);
    await drop();
    if (id === null) return false;
    const unreadable = await this.#wrapping.forget(leafOf(id));
    // If the value differs, a concurrent erasure was faster.
    await this.#store.writeMeta(KEY + namespace, `${id} ${ERASING}`, '');
    return unreadable;
  }

  /** Wraps all keys with the newest content key. `left`: the number of keys that other processes changed meanwhile. */
  async rewrap(): Promise<{ readonly namespaces: number; readonly left: number }> {
    const count = { namespaces: 0, left: 0 };
    for (const namespace of namesIn(await this.#store.readMeta(NAMES))) {
      const text = await this.#store.readMeta(KEY + namespace);
      const kept = keptIn(text);
      if (kept === null || kept.wrapped === ERASING || this.#wrapping.isNewest(kept.wrapped)) continue;
      const plain = this.#wrapping.unwrap(leafOf(kept.id), kept.wrapped);
      if (plain === null) continue;
      const isPut = await this.#store.writeMeta(KEY + namespace, text, this.#wrapped({ id: kept.id, plain }));
      count[isPut ? 'namespaces' : 'left'] += 1;
    }
    return count;
  }

  #open(text: string | null): NamespaceKey | null {
    const kept = keptIn(text);
    if (kept === null) return null;
    if (kept.wrapped === ERASING)
      throw new SvcError('SVC-BUSY-001', 'the namespace is being erased; if the erasure failed, erase it again', {
        retry_after_s: 1,
      });
    const plain = this.#wrapping.unwrap(leafOf(kept.id), kept.wrapped);
    if (plain === null) throw keyGone();
    return { id: kept.id, plain };
  }

  #wrapped({ id, plain }: NamespaceKey): string {
    const wrapped = this.#wrapping.wrap(leafOf(id), plain);
    if (wrapped === null) throw keyGone();
    return `${id} ${textOfWrapped(wrapped)}`;
  }

  /** Closes a namespace to new documents. @returns the id of its key, or null */
  async #close(namespace: string): Promise<string | null> {
    for (;;) {
      const text = await this.#store.readMeta(KEY + namespace);
      const kept = keptIn(text);
      if (kept === null) return null;
      if (kept.wrapped === ERASING) return kept.id;
      if (await this.#store.writeMeta(KEY + namespace, text, `${kept.id} ${ERASING}`)) return kept.id;
    }
  }

  async #list(namespace: string): Promise<void> {
    for (;;) {
      const text = await this.#store.readMeta(NAMES);
      const names = namesIn(text);
      if (names.includes(namespace)) return;
      if (await this.#store.writeMeta(NAMES, text, JSON.stringify([...names, namespace]))) return;
    }
  }
}

/** @returns the error for documents whose key is missing, or differs from the namespace's key */
export function keyGone(): SvcError {
  return new SvcError(
    'SVC-RAG-003',
    'the documents of this namespace cannot be read: their key is missing, or they were altered',
  );
}

/** Null if there is no key. */
function keptIn(text: string | null): Kept | null {
  if (text === null || text === '') return null;
  const [id = ''] = text.split(' ', 1);
  const state = text.slice(id.length + 1);
  return { id, wrapped: state === ERASING ? ERASING : wrappedIn(state) };
}

function namesIn(text: string | null): readonly string[] {
  return text === null ? [] : (JSON.parse(text) as string[]);
}

/** The leaf of the content key. No run has such an id. */
function leafOf(id: string): string {
  return `rag namespace ${id}`;
}
