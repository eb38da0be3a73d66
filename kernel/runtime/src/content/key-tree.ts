import { createHmac, randomBytes } from 'node:crypto';
import { DEPTH, KEY_BYTES, KeyNodes, leafPlace, type Place } from './key-nodes.ts';

const ROOT = /^[0-9a-f]{64}$/;
const NODE = /^([01]{0,64}):([0-9a-f]{64})$/;
const ID = /^[0-9a-f]{16}$/;

/** A key from which those of leaves (ids of runs and namespaces) are derived. */
export interface ContentKey {
  /** 16 hex characters that identify this key, before and after it forgets leaves. Not secret. */
  readonly id: string;
  /** The leaf's 32 bytes; null if they were forgotten. @throws {SvcError} SVC-STORE-001 if it cannot be read */
  keyFor(leaf: string): Buffer | null;
}

/** What the keys of runs are wrapped with. Kept outside the store and its backups. */
export interface ContentKeys {
  /** Wraps and unwraps. */
  readonly newest: ContentKey;
  /** Earlier ones, which unwrap only. */
  readonly older: readonly ContentKey[];
  /**
   * Punctures the newest key at these leaves, where that key is kept. After a failure it may have forgotten some of them. On disk when it
   * resolves. Null if the key is the operator's, and the gateway cannot change it.
   */
  readonly forget: ((leaves: readonly string[]) => Promise<void>) | null;
}

/**
 * A key that can forget: a puncturable pseudorandom function (the tree of Goldreich, Goldwasser and Micali). Each node derives its two
 * children by SHA-256, from the root down to a leaf for every run. To forget a run, the root is replaced by the siblings along the path to
 * its leaf. All other leaves can still be derived, that one by nobody.
 */
export class KeyTree implements ContentKey {
  readonly id: string;
  readonly nodes: KeyNodes;

  /** Of this key, and none of another. */
  constructor(id: string, nodes: KeyNodes) {
    this.id = id;
    this.nodes = nodes;
  }

  static generate(): KeyTree {
    return KeyTree.#ofRoot(randomBytes(KEY_BYTES));
  }

  /** From 64 hex characters, or from the result of {@link toString}. Null for anything else. */
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

  /** The same key without these leaves; itself if it has none of them. Each adds up to 64 nodes. */
  without(...leaves: readonly string[]): KeyTree {
    return this.remove(leaves.map(leafPlace));
  }

  /** The same key without all leaves at and below these places; itself if it has none of them. */
  remove(places: readonly Place[]): KeyTree {
    const nodes = places.reduce((left, place) => left.without(place), this.nodes);
    return nodes === this.nodes ? this : new KeyTree(this.id, nodes);
  }

  /** For {@link parse}. As secret as the key. */
  toString(): string {
    const nodes = Array.from(this.nodes, ([{ bits, level }, key]) => {
      const turns = bits.toString(2).padStart(DEPTH, '0').slice(0, level);
      return `${turns}:${key.toString('hex')}`;
    });
    return [this.id, ...nodes].join(' ');
  }
}
