import type { LedgerHead, SealedRecord } from '@svc/sdk/plugin';
import type { Key } from 'lmdb';
import { type Databases, NO_VALUE } from './databases.ts';
import { StoreError } from './errors.ts';
import { checkKeyPart } from './key-part.ts';

/** `prev_hash` of the first record, as the ledger's specification has it. */
const GENESIS = 'genesis';

type RecordType = SealedRecord['record_type'];

/** A stored value is type, hash and bytes in lines, so that neither head nor filter need parse a record. */
export interface Entry {
  readonly record_type: string;
  readonly hash: string;
  readonly bytes: string;
}

function encode({ record_type, hash, bytes }: SealedRecord): string {
  return `${record_type}\n${hash}\n${bytes}`;
}

export function decodeEntry(value: string): Entry {
  const first = value.indexOf('\n');
  const second = value.indexOf('\n', first + 1);
  return { record_type: value.slice(0, first), hash: value.slice(first + 1, second), bytes: value.slice(second + 1) };
}

export function modelKey(model_id: string, type: RecordType, seq: number): Key[] {
  return ['model', model_id, type, seq];
}

export function typeKey(type: RecordType, seq: number): Key[] {
  return ['type', type, seq];
}

/** Most records are evidence: only the other types have an index of their own. */
export function isRare(type: RecordType): boolean {
  return type !== 'run_evidence';
}

export function readHead({ ledger }: Databases): LedgerHead | null {
  for (const { key, value } of ledger.getRange({ reverse: true, limit: 1 })) return { seq: key, hash: decodeEntry(value).hash };
  return null;
}

function assertChained({ ledger }: Databases, head: LedgerHead | null, record: SealedRecord): void {
  const expected = (head?.seq ?? 0) + 1;
  if (record.seq !== expected || ledger.doesExist(record.seq)) {
    throw new StoreError('CHAIN', `a record was sealed as seq ${record.seq} where ${expected} is next: nothing was written`);
  }
  // In JSON a quotation mark inside a string is escaped, so these can only be fields.
  if (!record.bytes.includes(`"prev_hash":"${head?.hash ?? GENESIS}"`) || !record.bytes.includes(`"hash":"${record.hash}"`)) {
    throw new StoreError(
      'CHAIN',
      `record ${record.seq} does not hold its hash and that of the record before: nothing was written`,
    );
  }
  checkKeyPart('model_id', record.model_id);
}

/** Appends records after `head`, which the same write has read. @throws {StoreError} `CHAIN` */
export function appendRecords(dbs: Databases, head: LedgerHead | null, records: readonly SealedRecord[]): void {
  let last = head;
  for (const record of records) {
    assertChained(dbs, last, record);
    dbs.ledger.putSync(record.seq, encode(record));
    dbs.ledgerIndex.putSync(modelKey(record.model_id, record.record_type, record.seq), NO_VALUE);
    if (isRare(record.record_type)) dbs.ledgerIndex.putSync(typeKey(record.record_type, record.seq), NO_VALUE);
    last = { seq: record.seq, hash: record.hash };
  }
}
