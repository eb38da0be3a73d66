import type { RecordPlace } from '../../proof/index.ts';
import { sha256 } from '../canonical.ts';

const HASH = '"hash":"';
const HASH_LENGTH = 'sha256:'.length + 64;
const QUOTE = '"';
const MEMBER_BEFORE = ',';

/**
 * The hash of stored bytes, computed again; null where they do not hold their own. As `readRecord`, without parsing: the member `hash` is cut
 * out of the text. Nothing else can be taken for it, since a text cannot hold its own hash anywhere else. Searched from the end, near which
 * the members of a record's place stand.
 */
export function rehash(bytes: string, seq: number, prev_hash: string): RecordPlace | null {
  if (bytes.lastIndexOf(`"prev_hash":"${prev_hash}"`) < 0 || bytes.lastIndexOf(`"seq":${seq}`) < 0) return null;
  for (let at = bytes.lastIndexOf(HASH); at > 0; at = bytes.lastIndexOf(HASH, at - 1)) {
    const begin = at + HASH.length;
    const hash = bytes.slice(begin, begin + HASH_LENGTH);
    const after = begin + HASH_LENGTH + QUOTE.length;
    const body =
      bytes[at - 1] === MEMBER_BEFORE ? bytes.slice(0, at - 1) + bytes.slice(after) : bytes.slice(0, at) + bytes.slice(after + 1);
    // What is cut out is hashed by nobody: it has to be looked at.
    if (bytes[after - 1] === QUOTE && sha256(body) === hash) return { seq, prev_hash, hash };
  }
  return null;
}
