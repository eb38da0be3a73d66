import { createHash } from 'node:crypto';
import {
  GENESIS,
  type LedgerHead,
  type LedgerRecordType,
  type RunChange,
  type Seal,
  type SealedRecord,
  type Store,
  type StoredRecord,
} from '@svc/contracts';
import * as assert from '../cases/assert.ts';

/** Canonical JSON (RFC 8785) of the values that the cases use: plain objects, arrays, text, integers. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`).join(',')}}`;
}

function hashOf(record: object): string {
  return `sha256:${createHash('sha256').update(canonical(record)).digest('hex')}`;
}

export interface RecordFields {
  readonly change?: number;
  readonly record_type?: LedgerRecordType;
  readonly model_id?: string;
  /** More fields of the record. */
  readonly fields?: object;
}

/** The next record after `head`. */
export function sealOne(head: LedgerHead | null, { change, record_type, model_id, fields }: RecordFields = {}): SealedRecord {
  const seq = (head?.seq ?? 0) + 1;
  const common = { record_type: record_type ?? 'run_evidence', model_id: model_id ?? 'default' };
  const body = { ...fields, ...common, seq, prev_hash: head?.hash ?? GENESIS };
  const hash = hashOf(body);
  return { ...common, seq, hash, bytes: canonical({ ...body, hash }), change: change ?? null };
}

/** Seals these records, whichever changes won. */
export function sealAll(records: readonly RecordFields[]): Seal {
  return (head) => {
    const sealed: SealedRecord[] = [];
    for (const record of records) sealed.push(sealOne(sealed.at(-1) ?? head, record));
    return sealed;
  };
}

/** The seal for a commit of these changes: evidence for each winner, hashed and chained as in a ledger. */
function sealWinners(changes: readonly RunChange[]): Seal {
  return (head, winners) =>
    sealAll(
      winners.map((change) => ({
        change,
        model_id: changes[change]?.run.route ?? '',
        fields: { run_id: changes[change]?.run.run_id, status: changes[change]?.run.status },
      })),
    )(head, winners);
}

export const sealNothing: Seal = () => [];

/** Commits changes with evidence for each winner. */
export function commitSealed(store: Store, changes: readonly RunChange[]) {
  return store.commit(changes, sealWinners(changes));
}

/** Reads the whole ledger and asserts that it is one chain that ends in the head. */
export async function verifiedChain(store: Store): Promise<StoredRecord[]> {
  const records: StoredRecord[] = [];
  while (true) {
    const page = await store.records({ since_seq: records.length, limit: 250 });
    records.push(...page);
    if (page.length < 250) break;
  }
  let prev_hash = GENESIS;
  for (const [i, { seq, bytes }] of records.entries()) {
    assert.equal(seq, i + 1, 'seq goes on without a gap');
    const { hash, ...body } = JSON.parse(bytes);
    assert.equal(body.seq, seq);
    assert.equal(body.prev_hash, prev_hash, `record ${seq} names the hash of the one before`);
    assert.equal(hash, hashOf(body), `hash of record ${seq}`);
    prev_hash = hash;
  }
  assert.deepEqual(await store.head(), records.length === 0 ? null : { seq: records.length, hash: prev_hash });
  return records;
}
