import { createHmac, hash, randomBytes } from 'node:crypto';

/** Of a run's path: two runs share a leaf, and so an erasure, once in 2^64. */
const DEPTH = 64;
const KEY_BYTES = 32;
const ROOT = /^[0-9a-f]{64}$/;
const NODE = /^([01]{0,64}):([0-9a-f]{64})$/;
const ID = /^[0-9a-f]{16}$/;

/**
 * A key that can forget: a tree of hashes (a puncturable pseudorandom function, after Goldreich, Goldwasser and Micali). The root derives
 * its two children, each child its own, down to a leaf for every run. To forget a run is to put in place of the root what lies beside
 * the way to its leaf: all other leaves can be derived as before, that one by nobody any more.
 */
export class KeyTree {
  /** 16 hex characters that tell this key from others, before and after it forgets. No secret. */
  readonly id: string;
  /** Key of each node that is kept, by the way to it from the root: a text of 0 and 1. None of them lies below another. */
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
      const [, way, key] = NODE.exec(part) ?? [];
      if (way === undefined || key === undefined) return null;
      nodes.set(way, Buffer.from(key, 'hex'));
    }
    return ID.test(first) && nodes.size > 0 ? new KeyTree(first, nodes) : null;
  }

  static #ofRoot(root: Buffer): KeyTree {
    const id = createHmac('sha256', root).update('svc content key id').digest('hex').slice(0, 16);
    return new KeyTree(id, new Map([['', root]]));
  }

  /** The run's own 32 bytes; null where they were forgotten. */
  leaf(run_id: string): Buffer | null {
    const way = wayTo(run_id);
    const kept = this.#above(way);
    if (kept === null) return null;
    return [...way.slice(kept.way.length)].reduce(child, kept.key);
  }

  /** The same key without this run's leaf; some 64 nodes more for each run, about 6 kB of text. */
  without(run_id: string): KeyTree {
    const way = wayTo(run_id);
    const kept = this.#above(way);
    if (kept === null) return this;
    const nodes = new Map(this.#nodes);
    nodes.delete(kept.way);
    let { key } = kept;
    for (let at = kept.way.length; at < DEPTH; at += 1) {
      const turn = way[at] === '1' ? '1' : '0';
      const beside = turn === '1' ? '0' : '1';
      nodes.set(way.slice(0, at) + beside, child(key, beside));
      key = child(key, turn);
    }
    return new KeyTree(this.id, nodes);
  }

  /** For {@link parse}. As secret as the key. */
  toString(): string {
    return [this.id, ...[...this.#nodes].map(([way, key]) => `${way}:${key.toString('hex')}`)].join(' ');
  }

  #above(way: string): { way: string; key: Buffer } | null {
    for (let length = 0; length <= DEPTH; length += 1) {
      const key = this.#nodes.get(way.slice(0, length));
      if (key !== undefined) return { way: way.slice(0, length), key };
    }
    return null;
  }
}

function child(key: Buffer, turn: string): Buffer {
  // Of one length each, so that none begins another.
  return hash('sha256', Buffer.concat([key, Buffer.from(turn)]), 'buffer');
}

function wayTo(run_id: string): string {
  return hash('sha256', run_id, 'buffer').readBigUInt64BE().toString(2).padStart(DEPTH, '0');
}
