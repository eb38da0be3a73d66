import { createHash } from 'node:crypto';
import {
  GENESIS,
  type LedgerEntry,
  type LedgerHead,
  type LedgerRecordType,
  type RecordParts,
  type RunChange,
  type Store,
  type StoredRecord,
  type UnplacedRecord,
} from '@svc/contracts';
import * as assert from '../cases/assert.ts';

/** Canonical JSON (RFC 8785) of the values that the cases use: plain objects, arrays, text, integers. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${membersOf(value).join(',')}}`;
}

/** The canonical members whose names sort between these two. */
function membersOf(value: object, after = '', before?: string): string[] {
  return Object.entries(value)
    .filter(([name]) => name >= after && (before === undefined || name < before))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`);
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

const commonOf = ({ record_type, model_id }: RecordFields) => ({
  record_type: record_type ?? 'run_evidence',
  model_id: model_id ?? 'default',
});

/** A record for a commit. */
export function unplaced(record: RecordFields = {}): UnplacedRecord {
  const body = { ...record.fields, ...commonOf(record) };
  const [first, second, third] = [
    membersOf(body, '', 'hash'),
    membersOf(body, 'hash', 'prev_hash'),
    membersOf(body, 'prev_hash', 'seq'),
  ];
  const before = (members: string[]): string => members.map((member) => `${member},`).join('');
  const last = membersOf(body, 'seq').map((member) => `,${member}`);
  const parts: RecordParts = [before(first), before(second), before(third), last.join('')];
  return { ...commonOf(record), parts, change: record.change ?? null };
}

/** The same record, as it must be stored directly after `head`. */
export function placedAfter(head: LedgerHead | null, record: RecordFields = {}): LedgerEntry {
  const seq = (head?.seq ?? 0) + 1;
  const body = { ...record.fields, ...commonOf(record), seq, prev_hash: head?.hash ?? GENESIS };
  const hash = hashOf(body);
  return { ...commonOf(record), seq, hash, bytes: canonical({ ...body, hash }) };
}

/** Commits changes with evidence for each winner. */
export function commitSealed(store: Store, changes: readonly RunChange[]) {
  const records = changes.map(({ run: { run_id, status, route } }, change) =>
    unplaced({ change, model_id: route, fields: { run_id, status } }),
  );
  return store.commit(changes, records);
}

/** Reads the whole ledger, and asserts that it is one chain that ends in the head. */
export async function verifiedChain(store: Store): Promise<StoredRecord[]> {
  const records: StoredRecord[] = [];
  while (true) {
    const page = await store.records({ since_seq: records.length, limit: 250 });
    records.push(...page);
    if (page.length < 250) break;
  }
  let prev_hash = GENESIS;
  for (const [i, { seq, bytes }] of records.entries()) {
    assert.equal(seq, i + 1, 'seq without gaps');
    const { hash, ...body } = JSON.parse(bytes);
    assert.equal(body.seq, seq);
    assert.equal(body.prev_hash, prev_hash, `prev_hash of record ${seq}`);
    assert.equal(hash, hashOf(body), `hash of record ${seq}`);
    prev_hash = hash;
  }
  assert.deepEqual(await store.head(), records.length === 0 ? null : { seq: records.length, hash: prev_hash });
  return records;
}
