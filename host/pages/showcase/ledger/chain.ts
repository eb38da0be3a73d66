import { GENESIS, hashOf, type ReadRecord, readRecord } from './record.ts';

/**
 * Where a chain breaks first. `form`: it is no canonical JSON of a record; `seq`: its number does not follow; `link`: it does not stand on
 * the record before; `hash`: its content has another hash than it says.
 */
export interface Break {
  /** Among the records that were checked. */
  readonly index: number;
  readonly what:
    | { readonly kind: 'form' }
    | { readonly kind: 'seq' }
    | { readonly kind: 'link'; readonly expected: string; readonly found: string }
    | { readonly kind: 'hash'; readonly computed: string };
}

/** The head of a verified chain, to which the next record must link. */
export interface ChainEnd {
  readonly seq: number;
  readonly hash: string;
}

/** Verified records and their head. */
export interface Checked {
  readonly records: readonly ReadRecord[];
  readonly end: ChainEnd;
}

export const START: ChainEnd = { seq: 0, hash: GENESIS };

/** Checks records in order: each record's hash and its link to the previous record. */
export async function checkChain(raws: readonly string[], from: ChainEnd): Promise<Break | Checked> {
  const read = raws.map(readRecord);
  // Many at once: a digest is quick, waiting for each is not.
  const hashes = await Promise.all(read.map((record) => (record === null ? null : hashOf(record.hashed))));
  const records: ReadRecord[] = [];
  let end = from;
  for (const [index, record] of read.entries()) {
    const computed = hashes[index] ?? null;
    if (record === null || computed === null) return { index, what: { kind: 'form' } };
    const { seq, prev_hash, hash } = record;
    if (seq !== end.seq + 1) return { index, what: { kind: 'seq' } };
    if (prev_hash !== end.hash) return { index, what: { kind: 'link', expected: end.hash, found: prev_hash } };
    if (computed !== hash) return { index, what: { kind: 'hash', computed } };
    records.push(record);
    end = { seq, hash };
  }
  return { records, end };
}

export function isBreak(result: Break | Checked): result is Break {
  return 'what' in result;
}
