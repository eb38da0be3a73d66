import { sha256Binary } from '#digest';
import { bytesOf } from './bytes.ts';

/** SHA-256, 32 bytes. */
export type Hash = Uint8Array;

const HASH_BYTES = 32;
const LEAF = 0;
const NODE = 1;
/** This buffer is reused, because allocating more than 64 bytes is slow. */
const node = new Uint8Array(1 + 2 * HASH_BYTES).fill(NODE);

/** RFC 6962, section 2.1. */
export function leafHash(entry: Uint8Array): Hash {
  const data = new Uint8Array(1 + entry.length);
  data[0] = LEAF;
  data.set(entry, 1);
  return bytesOf(sha256Binary(data));
}

/** RFC 6962, section 2.1. */
export function nodeHash(left: Hash, right: Hash): Hash {
  node.set(left, 1);
  node.set(right, 1 + HASH_BYTES);
  return bytesOf(sha256Binary(node));
}

export const EMPTY_ROOT: Hash = bytesOf(sha256Binary(''));

export function isSameHash(a: Hash, b: Hash): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

/** The leaves from `begin` up to, but not including, `end`. */
export interface Range {
  readonly begin: number;
  readonly end: number;
}

/** Where RFC 6962 splits n > 1 leaves: the largest power of two below n. */
export function splitOf(n: number): number {
  let k = 1;
  while (k * 2 < n) k *= 2;
  return k;
}

/** RFC 6962, 2.1.1: the subtrees whose roots are the inclusion proof of leaf `index` in the tree of `size` leaves, from the leaf upwards. */
export function inclusionPath(index: number, size: number): Range[] {
  if (!(index >= 0 && index < size)) throw new RangeError('the tree does not have this leaf');
  const path: Range[] = [];
  let at: Range = { begin: 0, end: size };
  while (at.end - at.begin > 1) {
    const middle = at.begin + splitOf(at.end - at.begin);
    const [left, right] = [
      { begin: at.begin, end: middle },
      { begin: middle, end: at.end },
    ];
    const isLeft = index < middle;
    path.push(isLeft ? right : left);
    at = isLeft ? left : right;
  }
  return path.reverse();
}

/** RFC 6962, 2.1.2: the subtrees whose roots are the consistency proof that the tree of `second` leaves begins with that of `first`. */
export function consistencyPath(first: number, second: number): Range[] {
  if (!(first >= 0 && first <= second)) throw new RangeError('the first tree must not be larger than the second');
  if (first === 0 || first === second) return [];
  const path: Range[] = [];
  let at: Range = { begin: 0, end: second };
  // Whether the rest of the first tree is the whole first tree, whose root the verifier knows already.
  let whole = true;
  while (first !== at.end) {
    const middle = at.begin + splitOf(at.end - at.begin);
    if (first <= middle) {
      path.push({ begin: middle, end: at.end });
      at = { begin: at.begin, end: middle };
    } else {
      path.push({ begin: at.begin, end: middle });
      at = { begin: middle, end: at.end };
      whole = false;
    }
  }
  if (!whole) path.push(at);
  return path.reverse();
}

/** RFC 9162, 2.1.3.2: verifies the inclusion proof `path` of a leaf hash at `index` in the tree of `size` leaves with this root. */
export function provesInclusion(leaf: Hash, index: number, size: number, path: readonly Hash[], root: Hash): boolean {
  if (!isCount(index) || !isCount(size) || index >= size) return false;
  let at = { index, last: size - 1, hash: leaf };
  for (const sibling of path) {
    if (at.last === 0) return false;
    at = climb(at, sibling, at.hash);
  }
  return at.last === 0 && isSameHash(at.hash, root);
}

/** RFC 9162, 2.1.4.2: verifies the consistency proof `path` that the tree of `second` leaves begins with that of `first`. */
export function provesConsistency(
  first: { readonly size: number; readonly root: Hash },
  second: { readonly size: number; readonly root: Hash },
  path: readonly Hash[],
): boolean {
  if (!isCount(first.size) || !isCount(second.size) || first.size > second.size) return false;
  if (first.size === second.size) return path.length === 0 && isSameHash(first.root, second.root);
  if (first.size === 0) return path.length === 0 && isSameHash(first.root, EMPTY_ROOT);
  let index = first.size - 1;
  let last = second.size - 1;
  while (index % 2 === 1) {
    index = half(index);
    last = half(last);
  }
  // If the first tree is a complete subtree of the second, the path starts at its root.
  const hashes = index === 0 ? [first.root, ...path] : path;
  const [start, ...rest] = hashes;
  if (start === undefined || path.length === 0) return false;
  let old = start;
  let at = { index, last, hash: start };
  for (const sibling of rest) {
    if (at.last === 0) return false;
    if (isRight(at)) old = nodeHash(sibling, old);
    at = climb(at, sibling, at.hash);
  }
  return at.last === 0 && isSameHash(old, first.root) && isSameHash(at.hash, second.root);
}

interface Place {
  readonly index: number;
  /** Index of the last node of this level. */
  readonly last: number;
  readonly hash: Hash;
}

/** Whether the node is a right child, or the last of its level without a sibling. */
function isRight({ index, last }: Place): boolean {
  return index % 2 === 1 || index === last;
}

/** Moves up to the parent of a node, whose hash needs the next hash of the path. */
function climb(at: Place, sibling: Hash, hash: Hash): Place {
  let { index, last } = at;
  if (!isRight(at)) return { index: half(index), last: half(last), hash: nodeHash(hash, sibling) };
  // A node without a sibling moves up unchanged until it is a right child.
  while (index % 2 === 0 && index !== 0) {
    index = half(index);
    last = half(last);
  }
  return { index: half(index), last: half(last), hash: nodeHash(sibling, hash) };
}

/** Sizes may exceed 2^31, so bit operations cannot be used. */
function half(n: number): number {
  return Math.floor(n / 2);
}

function isCount(n: number): boolean {
  return Number.isSafeInteger(n) && n >= 0;
}
