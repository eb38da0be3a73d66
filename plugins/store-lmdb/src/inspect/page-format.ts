/**
 * The layout of `data.mdb` as the LMDB of lmdb-js 3.5 writes it (data version 2, 64 bits, little endian). Only the parts that are needed to
 * check whether a page is what its tree says.
 */

/** Header of every page: its number, transaction, key size, flags, and either the bounds of its free space or its length in pages. */
const HEADER = 24;
const FLAGS_AT = 18;
const LOWER_AT = 20;
const UPPER_AT = 22;
const PAGES_AT = 20;
const [BRANCH, LEAF, OVERFLOW, META] = [0x01, 0x02, 0x04, 0x08];
/** The other flags are for pages in memory. */
const KIND = 0x2f;

const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
/** In a meta page, after the header: magic, version, address and size of the map. */
const FREE_TREE_AT = HEADER + 24;
const TREE = 48;
const LAST_PAGE_AT = FREE_TREE_AT + 2 * TREE;
export const META_BYTES = LAST_PAGE_AT + 16;

const NODE = 8;
const BIG_VALUE = 0x01;
const SUB_TREE = 0x02;
/** Reference to a large value: page, transaction, number of pages. */
const PLACE = 24;
const NO_PAGE = 0xffff_ffff_ffff_ffffn;
/** Page sizes that LMDB knows. */
const [MIN_PAGE, MAX_PAGE] = [256, 65536];

/** LMDB's description of a tree. */
export interface Tree {
  readonly flags: number;
  readonly depth: number;
  readonly branch_pages: number;
  readonly leaf_pages: number;
  readonly overflow_pages: number;
  readonly entries: number;
  /** Null: it has no entries. */
  readonly root: number | null;
}

export interface Meta {
  readonly page_size: number;
  readonly free: Tree;
  readonly main: Tree;
  readonly last_page: number;
  readonly txn: number;
}

/** A value on pages of its own, and its length. */
export interface BigValue {
  readonly page: number;
  readonly pages: number;
  readonly length: number;
}

/** An entry of a page. */
export interface Node {
  readonly key: Buffer;
  /** In a branch: the page of its child. */
  readonly child: number;
  /** In a leaf. */
  readonly value: Buffer | BigValue;
  /** The value is the {@link Tree} of a database. */
  readonly is_tree: boolean;
}

export interface Page {
  readonly kind: 'branch' | 'leaf';
  readonly nodes: readonly Node[];
}

function u64(bytes: Buffer, at: number): number {
  return Number(bytes.readBigUInt64LE(at));
}

export function readTree(bytes: Buffer, at = 0): Tree | null {
  if (bytes.length < at + TREE) return null;
  return {
    flags: bytes.readUInt16LE(at + 4),
    depth: bytes.readUInt16LE(at + 6),
    branch_pages: u64(bytes, at + 8),
    leaf_pages: u64(bytes, at + 16),
    overflow_pages: u64(bytes, at + 24),
    entries: u64(bytes, at + 32),
    root: bytes.readBigUInt64LE(at + 40) === NO_PAGE ? null : u64(bytes, at + 40),
  };
}

/** Null if these bytes are not the meta page with that number. */
export function readMeta(bytes: Buffer, page: number): Meta | null {
  if (bytes.length < META_BYTES || u64(bytes, 0) !== page || (bytes.readUInt16LE(FLAGS_AT) & KIND) !== META) return null;
  if (bytes.readUInt32LE(HEADER) !== MAGIC || bytes.readUInt16LE(HEADER + 4) !== DATA_VERSION) return null;
  const page_size = bytes.readUInt32LE(FREE_TREE_AT);
  const [free, main] = [readTree(bytes, FREE_TREE_AT), readTree(bytes, FREE_TREE_AT + TREE)];
  const isSize = page_size >= MIN_PAGE && page_size <= MAX_PAGE && (page_size & (page_size - 1)) === 0;
  if (free === null || main === null || !isSize) return null;
  return { page_size, free, main, last_page: u64(bytes, LAST_PAGE_AT), txn: u64(bytes, LAST_PAGE_AT + 8) };
}

/** Null if it is not page `number` of a tree, or is from a later transaction than `txn`. */
export function readPage(bytes: Buffer, number: number, txn: number): Page | null {
  if (u64(bytes, 0) !== number || u64(bytes, 8) > txn) return null;
  const flags = bytes.readUInt16LE(FLAGS_AT) & KIND;
  if (flags !== BRANCH && flags !== LEAF) return null;
  const [lower, upper] = [bytes.readUInt16LE(LOWER_AT), bytes.readUInt16LE(UPPER_AT)];
  const room = bytes.length - HEADER;
  if (lower % 2 !== 0 || lower > upper || upper > room) return null;
  const nodes: Node[] = [];
  for (let i = 0; i < lower; i += 2) {
    const at = bytes.readUInt16LE(HEADER + i);
    const node = at < upper ? null : readNode(bytes.subarray(HEADER + at), flags === BRANCH);
    if (node === null) return null;
    nodes.push(node);
  }
  return { kind: flags === BRANCH ? 'branch' : 'leaf', nodes };
}

function readNode(bytes: Buffer, isBranch: boolean): Node | null {
  if (bytes.length < NODE) return null;
  const [size, flags, key_size] = [bytes.readUInt32LE(0), bytes.readUInt16LE(4), bytes.readUInt16LE(6)];
  const [key, rest] = [bytes.subarray(NODE, NODE + key_size), bytes.subarray(NODE + key_size)];
  if (key.length < key_size) return null;
  if (isBranch) return { key, child: size + flags * 2 ** 32, value: Buffer.alloc(0), is_tree: false };
  const is_big = (flags & BIG_VALUE) !== 0;
  if ((flags & ~(BIG_VALUE | SUB_TREE)) !== 0 || rest.length < (is_big ? PLACE : size)) return null;
  const value = is_big ? { page: u64(rest, 0), pages: u64(rest, 16), length: size } : rest.subarray(0, size);
  return { key, child: 0, value, is_tree: (flags & SUB_TREE) !== 0 };
}

/** The value on these pages; null if they do not belong to it. */
export function bigValueOn(bytes: Buffer, { page, pages, length }: BigValue, txn: number): Buffer | null {
  const isIts =
    bytes.length >= HEADER + length &&
    u64(bytes, 0) === page &&
    u64(bytes, 8) <= txn &&
    (bytes.readUInt16LE(FLAGS_AT) & KIND) === OVERFLOW &&
    bytes.readUInt32LE(PAGES_AT) === pages;
  return isIts ? bytes.subarray(HEADER, HEADER + length) : null;
}
