import { Value } from 'typebox/value';
import { GENESIS, ModelInventory, RunEvidence } from '../contracts/index.ts';
import { canonicalJson, sha256 } from './canonical.ts';

/** Why a chain is broken: at which record (its expected seq) and in what way. */
export interface ChainFault {
  seq: number;
  why: 'not_json' | 'not_canonical' | 'wrong_seq' | 'wrong_prev_hash' | 'wrong_hash' | 'wrong_schema' | 'second_evidence';
}

export interface ChainReport {
  /** Records that are whole, counted from the first. */
  records: number;
  /** Hash of the last whole record; `genesis` for none. */
  head: string;
  fault: ChainFault | null;
}

/**
 * Checks a ledger from its first record: canonical form, hash, link, sequence, schema, and no more than one evidence a run.
 * What a chain alone cannot show (a cut tail, a rewrite of everything) it does not show.
 */
export class ChainCheck {
  readonly #runs = new Set<string>();
  #records = 0;
  #head = GENESIS;

  /** The fault of the next record, null where it is whole. After a fault no more can be asked. */
  next(bytes: string): ChainFault | null {
    const seq = this.#records + 1;
    const checked = checkRecord(bytes, seq, this.#head, this.#runs);
    if (typeof checked !== 'string') return { seq, ...checked };
    this.#records = seq;
    this.#head = checked;
    return null;
  }

  report(fault: ChainFault | null): ChainReport {
    return { records: this.#records, head: this.#head, fault };
  }
}

/** {@link ChainCheck} of a whole ledger. Stops at the first fault. */
export async function verifyChain(records: AsyncIterable<string> | Iterable<string>): Promise<ChainReport> {
  const check = new ChainCheck();
  for await (const bytes of records) {
    const fault = check.next(bytes);
    if (fault !== null) return check.report(fault);
  }
  return check.report(null);
}

function checkRecord(bytes: string, seq: number, head: string, runs: Set<string>): string | Omit<ChainFault, 'seq'> {
  let record: unknown;
  try {
    record = JSON.parse(bytes);
  } catch {
    return { why: 'not_json' };
  }
  if (typeof record !== 'object' || record === null) return { why: 'not_json' };
  const { hash, ...body } = record as Record<string, unknown>;
  if (canonical(record) !== bytes) return { why: 'not_canonical' };
  if (body.seq !== seq) return { why: 'wrong_seq' };
  if (body.prev_hash !== head) return { why: 'wrong_prev_hash' };
  if (typeof hash !== 'string' || hash !== sha256(canonicalJson(body))) return { why: 'wrong_hash' };
  const schema = body.record_type === 'run_evidence' ? RunEvidence : ModelInventory;
  if (!Value.Check(schema, record)) return { why: 'wrong_schema' };
  if (schema === RunEvidence) {
    const run_id = String(body.run_id);
    if (runs.has(run_id)) return { why: 'second_evidence' };
    runs.add(run_id);
  }
  return hash;
}

function canonical(value: unknown): string | null {
  try {
    return canonicalJson(value);
  } catch {
    return null;
  }
}
