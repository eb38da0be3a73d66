import { sha256 } from './canonical.ts';
import { type RecordPlace, textWithoutHash } from './chained-record.ts';

const MEMBER = '"hash":"';
const HASH_LENGTH = 'sha256:'.length + 64;

/**
 * Recomputes the hash of a stored record. Checks the hash like `readRecord`, but without parsing. Null if the bytes do not contain the hash. Searches
 * from the end, because the chain fields are near it.
 */
export function rehash(bytes: string, seq: number, prev_hash: string): RecordPlace | null {
  if (bytes.lastIndexOf(`"prev_hash":"${prev_hash}"`) < 0 || bytes.lastIndexOf(`"seq":${seq}`) < 0) return null;
  for (let at = bytes.lastIndexOf(MEMBER); at > 0; at = bytes.lastIndexOf(MEMBER, at - 1)) {
    const hash = bytes.slice(at + MEMBER.length, at + MEMBER.length + HASH_LENGTH);
    const body = textWithoutHash(bytes, hash);
    if (body !== null && sha256(body) === hash) return { seq, prev_hash, hash };
  }
  return null;
}
