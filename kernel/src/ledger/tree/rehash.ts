import type { RecordPlace } from '../../proof/index.ts';
import { sha256 } from '../canonical.ts';

const HASH = /"hash":"(sha256:[0-9a-f]{64})"/g;
const MEMBER_BEFORE = ',';

/**
 * The hash of stored bytes, computed again; null where they do not hold their own. As `readRecord`, without parsing: the member `hash` is cut
 * out of the text. Nothing else can be taken for it, since a text cannot hold its own hash anywhere else.
 */
export function rehash(bytes: string, seq: number, prev_hash: string): RecordPlace | null {
  if (!bytes.includes(`"prev_hash":"${prev_hash}"`) || !bytes.includes(`"seq":${seq}`)) return null;
  for (const { 0: member, 1: hash = '', index } of bytes.matchAll(HASH)) {
    const before = bytes[index - 1] === MEMBER_BEFORE ? index - 1 : index;
    const after = index + member.length;
    const body = bytes.slice(0, before) + bytes.slice(before === index ? after + 1 : after);
    if (sha256(body) === hash) return { seq, prev_hash, hash };
  }
  return null;
}
