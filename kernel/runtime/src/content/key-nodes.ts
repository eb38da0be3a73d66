import { hash } from 'node:crypto';

/** Levels of the tree. The probability that two runs share a leaf, so that erasing one erases both, is 2^-64. */
export const DEPTH = 64;
export const KEY_BYTES = 32;
const LEVEL_AT = 8;
const KEY_AT = 9;
/** A stored node: its path in 8 bytes (padded on the right with zero bits), its level (1 byte), and its key. */
const NODE_BYTES = KEY_AT + KEY_BYTES;

/** A place in the tree. */
export interface Place {
  /** The path from the root, with one bit per level from the left. The remaining bits are 0. */
  readonly bits: bigint;
  /** Length of the path: 0 for the root, 64 for a leaf. */
  readonly level: number;
}

/** The place of a leaf, by its name, such as the id of a run. */
export function leafPlace(leaf: string): Place {
  return { bits: hash('sha256', leaf, 'buffer').readBigUInt64BE(), level: DEPTH };
}

/** The ancestor of a place at a level, or the place itself. */
export function placeAbove({ bits }: Place, level: number): Place {
  return { bits: level === 0 ? 0n : (bits >> BigInt(DEPTH - level)) << BigInt(DEPTH - level), level };
}

/** The path of the last leaf below a place. */
function endOf({ bits, level }: Place): bigint {
  return bits | ((1n << BigInt(DEPTH - level)) - 1n);
}

/**
 * Nodes of a key tree, in the order of their places. No node is an ancestor of another. Keys outside their subtrees cannot be derived. A set made
 * from another one never covers more than that one.
 */
export class KeyNodes {
  /** Input for {@link read}. As secret as the keys. */
  readonly bytes: Buffer;

  private constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  static ofRoot(key: Buffer): KeyNodes {
    return new KeyNodes(node({ bits: 0n, level: 0 }, key));
  }

  /** Creates a set from nodes in any order. Null if one is an ancestor of another. */
  static of(nodes: readonly (readonly [Place, Buffer])[]): KeyNodes | null {
    const made = new KeyNodes(Buffer.concat(nodes.map(([place, key]) => node(place, key)).sort(Buffer.compare)));
    let last = -1n;
    for (const [place] of made) {
      if (place.bits <= last) return null;
      last = endOf(place);
    }
    return made;
  }

  /** Creates a set from {@link bytes} without checking them. */
  static read(bytes: Buffer): KeyNodes {
    return new KeyNodes(bytes);
  }

  get count(): number {
    return this.bytes.length / NODE_BYTES;
  }

  /** The nodes at a place and below it. If an ancestor is in the set, the result is the place itself, with its derived key. */
  within(place: Place): KeyNodes {
    const [from, to] = this.#range(place);
    const above = this.#above(from, place);
    return above === null ? new KeyNodes(this.#slice(from, to)) : new KeyNodes(node(place, derive(above, place)));
  }

  /** The key of a place. Null if the set does not cover the whole place. */
  keyAt(place: Place): Buffer | null {
    const above = this.#above(this.#range(place)[0], place);
    return above === null ? null : derive(above, place);
  }

  /**
   * The set without a place and everything below it. An ancestor in the set is replaced by the siblings along the path to the place. Returns this set
   * if it covers nothing of the place.
   */
  without(place: Place): KeyNodes {
    const [from, to] = this.#range(place);
    if (from === to) return this;
    const above = this.#above(from, place);
    const siblings = above === null ? [] : siblingsOf(above, place);
    return new KeyNodes(Buffer.concat([this.#slice(0, from), ...siblings, this.#slice(to, this.count)]));
  }

  /** The nodes that cover what two sets of the same tree have in common. */
  intersect(other: KeyNodes): KeyNodes {
    return new KeyNodes(Buffer.concat(Array.from({ length: this.count }, (_, at) => other.within(this.#place(at)).bytes)));
  }

  /** All nodes, in order. */
  *[Symbol.iterator](): Generator<readonly [Place, Buffer]> {
    for (let at = 0; at < this.count; at += 1) yield [this.#place(at), this.#key(at)];
  }

  /** The range of nodes that have a leaf below a place: the index of the first one, and the index after the last one. */
  #range(place: Place): [from: number, to: number] {
    const end = endOf(place);
    const from = this.#firstWhere((at) => endOf(this.#place(at)) >= place.bits);
    return [from, this.#firstWhere((at) => this.#place(at).bits > end)];
  }

  #firstWhere(isThere: (at: number) => boolean): number {
    let [low, high] = [0, this.count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isThere(middle)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** The node at an index if it is the place or one of its ancestors, otherwise null. */
  #above(at: number, place: Place): readonly [Place, Buffer] | null {
    if (at >= this.count) return null;
    const found = this.#place(at);
    return found.level <= place.level && placeAbove(place, found.level).bits === found.bits ? [found, this.#key(at)] : null;
  }

  #place(at: number): Place {
    const start = at * NODE_BYTES;
    return { bits: this.bytes.readBigUInt64BE(start), level: this.bytes.readUInt8(start + LEVEL_AT) };
  }

  #key(at: number): Buffer {
    return this.bytes.subarray(at * NODE_BYTES + KEY_AT, (at + 1) * NODE_BYTES);
  }

  #slice(from: number, to: number): Buffer {
    return this.bytes.subarray(from * NODE_BYTES, to * NODE_BYTES);
  }
}

function node({ bits, level }: Place, key: Buffer): Buffer {
  const bytes = Buffer.alloc(NODE_BYTES);
  bytes.writeBigUInt64BE(bits);
  bytes.writeUInt8(level, LEVEL_AT);
  key.copy(bytes, KEY_AT);
  return bytes;
}

function derive([from, key]: readonly [Place, Buffer], to: Place): Buffer {
  let derived = key;
  for (let level = from.level; level < to.level; level += 1) derived = child(derived, turn(to, level));
  return derived;
}

/** The siblings along a path, in the order of their places: first those on the left from the top down, then those on the right from the bottom up. */
function siblingsOf([from, key]: readonly [Place, Buffer], to: Place): Buffer[] {
  const [left, right]: [Buffer[], Buffer[]] = [[], []];
  let derived = key;
  for (let level = from.level; level < to.level; level += 1) {
    const bit = turn(to, level);
    const place = placeAbove({ bits: to.bits ^ (1n << BigInt(DEPTH - 1 - level)), level: DEPTH }, level + 1);
    (bit === 1 ? left : right).push(node(place, child(derived, 1 - bit)));
    derived = child(derived, bit);
  }
  return [...left, ...right.reverse()];
}

/** Which child the path goes through at a level: 0 or 1. */
function turn({ bits }: Place, level: number): number {
  return Number((bits >> BigInt(DEPTH - 1 - level)) & 1n);
}

function child(key: Buffer, bit: number): Buffer {
  // All inputs have the same length, so none is a prefix of another.
  return hash('sha256', Buffer.concat([key, Buffer.from(String(bit))]), 'buffer');
}
