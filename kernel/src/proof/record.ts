import { Value } from 'typebox/value';
import { ModelInventory, RunEvidence } from '../contracts/index.ts';
import { canonicalJson, sha256 } from '../ledger/canonical.ts';
import { type Hash, leafHash } from './merkle.ts';

/** What of a record ties it to its place. */
export interface RecordPlace {
  readonly seq: number;
  readonly prev_hash: string;
  /** `sha256:` and 64 lowercase hex characters. */
  readonly hash: string;
}

/** A record by itself: its place, and whose evidence it is (null for an inventory record). */
export interface ReadRecord {
  readonly place: RecordPlace;
  readonly run_id: string | null;
}

export type RecordFault = 'not_json' | 'not_canonical' | 'wrong_seq' | 'wrong_prev_hash' | 'wrong_hash' | 'wrong_schema';

/**
 * Reads a record: UTF-8, JSON, in canonical form, at its place, with the hash that it says, of its schema; else the first that is not so.
 * This is what a record must be, said as plainly as can be: `FastReader` only says the same sooner.
 * @param after what it must come after; left out: any place is right
 */
export function readRecord(bytes: Uint8Array, after?: Pick<RecordPlace, 'seq' | 'hash'>): ReadRecord | RecordFault {
  const text = textOrNull(bytes);
  const record = text === null ? null : objectOrNull(text);
  if (record === null) return 'not_json';
  if (canonicalOrNull(record) !== text) return 'not_canonical';
  const { hash, ...body } = record;
  const { seq, prev_hash, record_type, run_id } = body;
  if (after !== undefined && seq !== after.seq + 1) return 'wrong_seq';
  if (after !== undefined && prev_hash !== after.hash) return 'wrong_prev_hash';
  if (hash !== sha256(canonicalJson(body))) return 'wrong_hash';
  const schema = record_type === 'run_evidence' ? RunEvidence : ModelInventory;
  if (!Value.Check(schema, record)) return 'wrong_schema';
  return {
    place: { seq: Number(seq), prev_hash: String(prev_hash), hash },
    run_id: schema === RunEvidence ? String(run_id) : null,
  };
}

/** The leaf of a record: the ASCII characters of its hash. Its index is `seq` − 1. */
export function leafOf(hash: string): Hash {
  return leafHash(Buffer.from(hash, 'latin1'));
}

function textOrNull(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function objectOrNull(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
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
