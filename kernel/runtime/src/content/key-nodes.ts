import { hash } from 'node:crypto';

/** Levels of the tree. Two runs share a leaf, and so an erasure, with a probability of 2^-64. */
export const DEPTH = 64;
export const KEY_BYTES = 32;
const LEVEL_AT = 8;
const KEY_AT = 9;
/** A node as it is stored: the bits of its place (8 bytes, from the left, the rest 0), its level (1 byte), its key. */
const NODE_BYTES = KEY_AT + KEY_BYTES;

/** A place in the tree. */
export interface Place {
  /** The turns from the root, of 64 bits from the left; the rest is 0. */
  readonly bits: bigint;
  /** The number of turns: 0 is the root, 64 a leaf. */
  readonly level: number;
}

/** The place of a leaf, such as the id of a run. */
export function leafPlace(leaf: string): Place {
  return { bits: hash('sha256', leaf, 'buffer').readBigUInt64BE(), level: DEPTH };
}

/** The place at a level above another, or that one itself. */
export function placeAbove({ bits }: Place, level: number): Place {
  return { bits: level === 0 ? 0n : (bits >> BigInt(DEPTH - level)) << BigInt(DEPTH - level), level };
}

/** The last leaf below a place. */
function endOf({ bits, level }: Place): bigint {
  return bits | ((1n << BigInt(DEPTH - level)) - 1n);
}

/**
 * Nodes of a key tree, none of them above another, in order of their places. Keys outside of them cannot be derived. The set never covers more than
 * the one from which it was made.
 */
export class KeyNodes {
  /** For {@link read}. As secret as the key. */
  readonly bytes: Buffer;

  private constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  static ofRoot(key: Buffer): KeyNodes {
    return new KeyNodes(node({ bits: 0n, level: 0 }, key));
  }

  /** In any order. Null if one lies above another. */
  static of(nodes: readonly (readonly [Place, Buffer])[]): KeyNodes | null {
    const made = new KeyNodes(Buffer.concat(nodes.map(([place, key]) => node(place, key)).sort(Buffer.compare)));
    let last = -1n;
    for (const [place] of made) {
      if (place.bits <= last) return null;
      last = endOf(place);
    }
    return made;
  }

  /** From {@link bytes}, which are not checked. */
  static read(bytes: Buffer): KeyNodes {
    return new KeyNodes(bytes);
  }

  get count(): number {
    return this.bytes.length / NODE_BYTES;
  }

  /** The nodes at and below a place: that one alone where a node above it was there. */
  within(place: Place): KeyNodes {
    const [from, to] = this.#range(place);
    const above = this.#above(from, place);
    return above === null ? new KeyNodes(this.#slice(from, to)) : new KeyNodes(node(place, derive(above, place)));
  }

  /** The key of a place; null if it is not covered as a whole. */
  keyAt(place: Place): Buffer | null {
    const above = this.#above(this.#range(place)[0], place);
    return above === null ? null : derive(above, place);
  }

  /** The same without what is at and below a place: the node above it is replaced by the siblings along the way. Itself if it has none of it. */
  without(place: Place): KeyNodes {
    const [from, to] = this.#range(place);
    if (from === to) return this;
    const above = this.#above(from, place);
    const siblings = above === null ? [] : siblingsOf(above, place);
    return new KeyNodes(Buffer.concat([this.#slice(0, from), ...siblings, this.#slice(to, this.count)]));
  }

  /** What both cover, of one tree. */
  intersect(other: KeyNodes): KeyNodes {
    return new KeyNodes(Buffer.concat(Array.from({ length: this.count }, (_, at) => other.within(this.#place(at)).bytes)));
  }

  /** All, in order. */
  *[Symbol.iterator](): Generator<readonly [Place, Buffer]> {
    for (let at = 0; at < this.count; at += 1) yield [this.#place(at), this.#key(at)];
  }

  /** Those that have a leaf below a place: the first, and the one after the last. */
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

  /** A node if it is the place, or lies above it. */
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

/** In the order of their places: those to the left from the top down, then those to the right from the bottom up. */
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

/** 0 or 1: which child of the node at a level is on the way. */
function turn({ bits }: Place, level: number): number {
  return Number((bits >> BigInt(DEPTH - 1 - level)) & 1n);
}

function child(key: Buffer, bit: number): Buffer {
  // Both inputs have the same length, so neither is a prefix of the other.
  return hash('sha256', Buffer.concat([key, Buffer.from(String(bit))]), 'buffer');
}
