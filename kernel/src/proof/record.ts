import { canonicalJson, sha256 } from '../ledger/canonical.ts';
import { type Hash, leafHash } from './merkle.ts';

/** What of a record ties it to its place. */
export interface RecordPlace {
  readonly seq: number;
  readonly prev_hash: string;
  /** `sha256:` and 64 lowercase hex characters. */
  readonly hash: string;
}

export type RecordFault = 'not_json' | 'not_canonical' | 'wrong_hash';

/** The place of a record whose stored bytes are canonical and have the hash that they say; else why not. */
export function readRecord(
  bytes: string,
): { readonly place: RecordPlace; readonly record: Record<string, unknown> } | RecordFault {
  const record = parseObject(bytes);
  if (record === null) return 'not_json';
  if (canonicalOrNull(record) !== bytes) return 'not_canonical';
  const { hash, ...body } = record;
  const { seq, prev_hash } = body;
  if (typeof hash !== 'string' || typeof prev_hash !== 'string' || typeof seq !== 'number') return 'wrong_hash';
  if (hash !== sha256(canonicalJson(body))) return 'wrong_hash';
  return { place: { seq, prev_hash, hash }, record };
}

/** The leaf of a record: the ASCII characters of its hash. Its index is `seq` − 1. */
export function leafOf(hash: string): Hash {
  return leafHash(Buffer.from(hash, 'latin1'));
}

function parseObject(bytes: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(bytes);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function canonicalOrNull(value: unknown): string | null {
  try {
    return canonicalJson(value);
  } catch {
    return null;
  }
}
