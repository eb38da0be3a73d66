import { GENESIS, isObject, type JsonObject, type SessionPlace } from '@svc/contracts';
import { type ChainFault, type ChainRecord, type RecordPlace, readChained } from '@svc/ledger/chain';

/** A verified record: its place in the chain, and its content. */
export interface ChainedRecord extends ChainRecord {
  readonly content: JsonObject;
}

/** The last verified record, which the next one must follow. */
export type ChainEnd = Pick<RecordPlace, 'seq' | 'hash'>;

/** The first break in a chain. */
export interface Break {
  /** Index among the checked records. */
  readonly index: number;
  readonly why: ChainFault;
  /** The expected predecessor. */
  readonly after: ChainEnd;
}

/** Checks the form, place and hash of a record, not its schema. */
export function readContent(bytes: Uint8Array, after: ChainEnd = { seq: 0, hash: GENESIS }): ChainedRecord | ChainFault {
  const content = readChained(bytes, after);
  if (typeof content === 'string') return content;
  const { record_type, run_id, hash, principal_id, session } = content;
  const of = { principal_id: String(principal_id), ...(isObject(session) && { session: session as SessionPlace }) };
  const run = record_type === 'run_evidence' && typeof run_id === 'string' ? { run_id, ...of } : null;
  return { place: { seq: after.seq + 1, prev_hash: after.hash, hash: String(hash) }, run, content };
}

/** The first break in part of a chain; null if there is none. */
export function breakOf(raws: readonly string[], from: ChainEnd): Break | null {
  const encoder = new TextEncoder();
  let after = from;
  for (const [index, raw] of raws.entries()) {
    const read = readContent(encoder.encode(raw), after);
    if (typeof read === 'string') return { index, why: read, after };
    after = read.place;
  }
  return null;
}
