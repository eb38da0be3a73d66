import { createHmac, hash, randomBytes } from 'node:crypto';

/** Levels of the tree. Two runs share a leaf, and so an erasure, with a probability of 2^-64. */
const DEPTH = 64;
const KEY_BYTES = 32;
const ROOT = /^[0-9a-f]{64}$/;
const NODE = /^([01]{0,64}):([0-9a-f]{64})$/;
const ID = /^[0-9a-f]{16}$/;

/** What the keys of runs are wrapped with. Kept outside the store and its backups. */
export interface ContentKeys {
  /** Wraps and unwraps. May be another one after {@link forget}. */
  readonly newest: KeyTree;
  /** Earlier ones, which unwrap only. */
  readonly older: readonly KeyTree[];
  /**
   * Punctures the newest key at these leaves (ids of runs), all or none, where that key is kept. On disk when it resolves. Null where the key
   * is the operator's, and the gateway cannot change it.
   */
  readonly forget: ((leaves: readonly string[]) => Promise<void>) | null;
}

/**
 * A key that can forget: a puncturable pseudorandom function (the tree of Goldreich, Goldwasser and Micali). Each node derives its two
 * children by SHA-256, from the root down to a leaf for every run. To forget a run, the root is replaced by the siblings along the path to
 * its leaf. All other leaves can still be derived, that one by nobody.
 */
export class KeyTree {
  /** 16 hex characters that identify this key, before and after it forgets. No secret. */
  readonly id: string;
  /** The nodes that are kept: a key for each path from the root (a text of 0 and 1). None of them lies below another. */
  readonly #nodes: ReadonlyMap<string, Buffer>;

  private constructor(id: string, nodes: ReadonlyMap<string, Buffer>) {
    this.id = id;
    this.#nodes = nodes;
  }

  static generate(): KeyTree {
    return KeyTree.#ofRoot(randomBytes(KEY_BYTES));
  }

  /** From 64 hex characters, or from what {@link toString} gave. Null: it is neither. */
  static parse(text: string): KeyTree | null {
    const [first = '', ...rest] = text.trim().split(/\s+/);
    if (ROOT.test(first) && rest.length === 0) return KeyTree.#ofRoot(Buffer.from(first, 'hex'));
    const nodes = new Map<string, Buffer>();
    for (const part of rest) {
      const [, path, key] = NODE.exec(part) ?? [];
      if (path === undefined || key === undefined) return null;
      nodes.set(path, Buffer.from(key, 'hex'));
    }
    return ID.test(first) && nodes.size > 0 ? new KeyTree(first, nodes) : null;
  }

  static #ofRoot(root: Buffer): KeyTree {
    const id = createHmac('sha256', root).update('svc content key id').digest('hex').slice(0, 16);
    return new KeyTree(id, new Map([['', root]]));
  }

  /** The run's 32 bytes; null where they were forgotten. */
  keyFor(run_id: string): Buffer | null {
    const path = pathTo(run_id);
    const kept = above(this.#nodes, path);
    if (kept === null) return null;
    return [...path.slice(kept.path.length)].reduce(child, kept.key);
  }

  /** The same key without the leaves of these runs; itself where it has none of them. Each run adds about 64 nodes, 6 kB of text. */
  without(...run_ids: readonly string[]): KeyTree {
    if (run_ids.every((run_id) => above(this.#nodes, pathTo(run_id)) === null)) return this;
    const nodes = new Map(this.#nodes);
    for (const run_id of run_ids) puncture(nodes, pathTo(run_id));
    return new KeyTree(this.id, nodes);
  }

  /** For {@link parse}. As secret as the key. */
  toString(): string {
    return [this.id, ...[...this.#nodes].map(([path, key]) => `${path}:${key.toString('hex')}`)].join(' ');
  }
}

function above(nodes: ReadonlyMap<string, Buffer>, path: string): { path: string; key: Buffer } | null {
  for (let length = 0; length <= DEPTH; length += 1) {
    const key = nodes.get(path.slice(0, length));
    if (key !== undefined) return { path: path.slice(0, length), key };
  }
  return null;
}

/** Puts the siblings along the path to a leaf in the place of the node above it. */
function puncture(nodes: Map<string, Buffer>, path: string): void {
  const kept = above(nodes, path);
  if (kept === null) return;
  nodes.delete(kept.path);
  let { key } = kept;
  for (let at = kept.path.length; at < DEPTH; at += 1) {
    const bit = path[at] === '1' ? '1' : '0';
    const sibling = bit === '1' ? '0' : '1';
    nodes.set(path.slice(0, at) + sibling, child(key, sibling));
    key = child(key, bit);
  }
}

function child(key: Buffer, bit: string): Buffer {
  // Both inputs have the same length, so neither is a prefix of the other.
  return hash('sha256', Buffer.concat([key, Buffer.from(bit)]), 'buffer');
}

function pathTo(run_id: string): string {
  return hash('sha256', run_id, 'buffer').readBigUInt64BE().toString(2).padStart(DEPTH, '0');
}
