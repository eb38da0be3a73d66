import { sha256Binary } from '#digest';
import { bytesOf, write } from './bytes.ts';
import type { Hash } from './merkle.ts';

/** RFC 6962 hashes a leaf as a zero byte followed by the leaf's data. Here, the data is the hash of a record in ASCII. */
const leaf = new Uint8Array(1 + 'sha256:'.length + 64);

/** The leaf of a record: the ASCII characters of its hash. Its index is `seq` − 1. @param hash `sha256:` and 64 hex characters */
export function leafOf(hash: string): Hash {
  return bytesOf(leafBinary(hash));
}

/** As {@link leafOf}, but as a binary string: one character for each byte. */
export function leafBinary(hash: string): string {
  if (hash.length !== leaf.length - 1) throw new RangeError('not the hash of a record');
  write(hash, leaf, 1);
  return sha256Binary(leaf);
}
