import { bytesOf } from './bytes.ts';
import { EMPTY_ROOT, type Hash } from './merkle.ts';
import { TILE_WIDTH } from './tile-path.ts';

/** The contents of tiles and of bundles of entries, https://c2sp.org/tlog-tiles. */

const HASH_BYTES = EMPTY_ROOT.length;
/** An entry of the tree is the hash of a record in ASCII: `sha256:` and 64 hex characters. */
const ENTRY_BYTES = 'sha256:'.length + 2 * HASH_BYTES;
/** Length of an entry, big-endian. */
const PREFIX_BYTES = 2;
const ENTRY = /^sha256:[0-9a-f]{64}$/;

/** Whether a value has the form of an entry: the hash of a record. */
export function isEntry(value: unknown): value is string {
  return typeof value === 'string' && ENTRY.test(value);
}

export function tileBytes(hashes: readonly Hash[]): Uint8Array {
  const bytes = new Uint8Array(hashes.length * HASH_BYTES);
  for (const [at, hash] of hashes.entries()) bytes.set(hash, at * HASH_BYTES);
  return bytes;
}

/** Null if the bytes are not whole hashes, or more than a full tile. */
export function hashesInTile(bytes: Uint8Array): Hash[] | null {
  const count = bytes.length / HASH_BYTES;
  if (!Number.isInteger(count) || count > TILE_WIDTH) return null;
  return Array.from({ length: count }, (_, at) => bytes.slice(at * HASH_BYTES, (at + 1) * HASH_BYTES));
}

/** A bundle of entries: the hashes of records, which hash to the leaves. Contains nothing else of the records. */
export function entryBundle(hashes: readonly string[]): Uint8Array {
  return bytesOf(hashes.map((hash) => `\0${String.fromCharCode(ENTRY_BYTES)}${hash}`).join(''));
}

/** The hashes of records in a bundle. Null if it contains anything else. */
export function entriesIn(bundle: Uint8Array): string[] | null {
  const count = bundle.length / (PREFIX_BYTES + ENTRY_BYTES);
  if (!Number.isInteger(count) || count > TILE_WIDTH) return null;
  const entries: string[] = [];
  for (let at = 0; at < bundle.length; at += PREFIX_BYTES + ENTRY_BYTES) {
    const entry = String.fromCharCode(...bundle.subarray(at + PREFIX_BYTES, at + PREFIX_BYTES + ENTRY_BYTES));
    if (bundle[at] !== 0 || bundle[at + 1] !== ENTRY_BYTES || !isEntry(entry)) return null;
    entries.push(entry);
  }
  return entries;
}
