import { createHmac, randomBytes } from 'node:crypto';
import { DEPTH, KEY_BYTES, KeyNodes, leafPlace, type Place } from './key-nodes.ts';

const ROOT = /^[0-9a-f]{64}$/;
const NODE = /^([01]{0,64}):([0-9a-f]{64})$/;
const ID = /^[0-9a-f]{16}$/;

/** A key from which the keys of leaves are derived. Leaves are named by ids of runs and namespaces. */
export interface ContentKey {
  /** 16 hex characters that identify this key. They stay the same when the key forgets leaves. Not secret. */
  readonly id: string;
  /** The leaf's 32-byte key. Null if it has been forgotten. @throws {SvcError} SVC-STORE-001 if it cannot be read */
  keyFor(leaf: string): Buffer | null;
}

/** The keys that wrap the keys of runs. They are stored outside the store and its backups. */
export interface ContentKeys {
  /** Wraps and unwraps keys. */
  readonly newest: ContentKey;
  /** Earlier keys, which are used only to unwrap. */
  readonly older: readonly ContentKey[];
  /**
   * Makes the newest key forget these leaves, in the place where that key is stored. The change is on disk when the promise resolves. After a
   * failure, the key may have forgotten some of them. Null if the operator stores the key, so that the gateway cannot change it.
   */
  readonly forget: ((leaves: readonly string[]) => Promise<void>) | null;
}

/**
 * A key that can forget: a puncturable pseudorandom function (the tree of Goldreich, Goldwasser and Micali). Each node derives its two children by
 * SHA-256, from the root down to a leaf for every run. To forget a run, the root is replaced by the siblings along the path to the run's leaf. Then
 * every leaf but that one can still be derived.
 */
export class KeyTree implements ContentKey {
  readonly id: string;
  readonly nodes: KeyNodes;

  /** @param nodes nodes of the key with this id */
  constructor(id: string, nodes: KeyNodes) {
    this.id = id;
    this.nodes = nodes;
  }

  static generate(): KeyTree {
    return KeyTree.#ofRoot(randomBytes(KEY_BYTES));
  }

  /** Parses 64 hex characters, or the result of {@link toString}. Null for anything else. */
  static parse(text: string): KeyTree | null {
    const [first = '', ...rest] = text.trim().split(/\s+/);
    if (ROOT.test(first) && rest.length === 0) return KeyTree.#ofRoot(Buffer.from(first, 'hex'));
    const nodes: [Place, Buffer][] = [];
    for (const part of rest) {
      const [, turns, key] = NODE.exec(part) ?? [];
      if (turns === undefined || key === undefined) return null;
      nodes.push([{ bits: BigInt(`0b${turns.padEnd(DEPTH, '0')}`), level: turns.length }, Buffer.from(key, 'hex')]);
    }
    const read = KeyNodes.of(nodes);
    return ID.test(first) && nodes.length > 0 && read !== null ? new KeyTree(first, read) : null;
  }

  static #ofRoot(root: Buffer): KeyTree {
    const id = createHmac('sha256', root).update('svc content key id').digest('hex').slice(0, 16);
    return new KeyTree(id, KeyNodes.ofRoot(root));
  }

  keyFor(leaf: string): Buffer | null {
    return this.nodes.keyAt(leafPlace(leaf));
  }

  /** The same key without these leaves. Each leaf adds up to 64 nodes. Returns this key if it covers none of the leaves. */
  without(...leaves: readonly string[]): KeyTree {
    return this.remove(leaves.map(leafPlace));
  }

  /** The same key without these places and everything below them. Returns this key if it covers none of them. */
  remove(places: readonly Place[]): KeyTree {
    const nodes = places.reduce((left, place) => left.without(place), this.nodes);
    return nodes === this.nodes ? this : new KeyTree(this.id, nodes);
  }

  /** Input for {@link parse}. As secret as the key. */
  toString(): string {
    const nodes = Array.from(this.nodes, ([{ bits, level }, key]) => {
      const turns = bits.toString(2).padStart(DEPTH, '0').slice(0, level);
      return `${turns}:${key.toString('hex')}`;
    });
    return [this.id, ...nodes].join(' ');
  }
}
