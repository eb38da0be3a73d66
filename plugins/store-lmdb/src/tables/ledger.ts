import { type LedgerEntry, type LedgerHead, type LedgerRecordType, type SessionHead, StoreError } from '@svc/sdk/store';
import type { Key, Transaction } from 'lmdb';
import { type Databases, readState } from './databases.ts';
import { NO_VALUE } from './no-value.ts';

export const RECORD_TYPES: readonly LedgerRecordType[] = ['run_evidence', 'model_inventory'];

/** A stored value is type, hash and bytes on separate lines, so that reading the head or filtering parses no record. */
export interface Entry {
  readonly record_type: string;
  readonly hash: string;
  readonly bytes: string;
}

function encode({ record_type, hash, bytes }: LedgerEntry): string {
  return `${record_type}\n${hash}\n${bytes}`;
}

export function decodeEntry(value: string): Entry {
  const first = value.indexOf('\n');
  const second = value.indexOf('\n', first + 1);
  return { record_type: value.slice(0, first), hash: value.slice(first + 1, second), bytes: value.slice(second + 1) };
}

export function modelKey(model_id: string, type: LedgerRecordType, seq: number): Key[] {
  return ['model', model_id, type, seq];
}

export function typeKey(type: LedgerRecordType, seq: number): Key[] {
  return ['type', type, seq];
}

/** Most records are evidence: only the other types have an index of their own. */
export function isRare(type: LedgerRecordType): boolean {
  return type !== 'run_evidence';
}

export function readHead({ ledger }: Databases, transaction?: Transaction): LedgerHead | null {
  const last = { reverse: true, limit: 1, ...(transaction === undefined ? {} : { transaction }) };
  for (const { key, value } of ledger.getRange(last)) return { seq: key, hash: decodeEntry(value).hash };
  return null;
}

/** Whether the ledger still has its earlier head. */
export function continues({ ledger }: Databases, head: LedgerHead | null, { seq, hash }: LedgerHead): boolean {
  // Usually nothing else was written, so the record need not be read again.
  if (head?.seq === seq) return head.hash === hash;
  const value = ledger.get(seq);
  return value !== undefined && decodeEntry(value).hash === hash;
}

/** Appends records that follow the head. Call it inside a write. */
export function putRecords({ ledger, ledgerIndex, state }: Databases, records: readonly LedgerEntry[]): void {
  for (const record of records) {
    ledger.put(record.seq, encode(record));
    ledgerIndex.put(modelKey(record.model_id, record.record_type, record.seq), NO_VALUE);
    if (isRare(record.record_type)) ledgerIndex.put(typeKey(record.record_type, record.seq), NO_VALUE);
    const { session, seq, hash } = record;
    if (session !== undefined) putSessionHead(state, { ...session, seq, hash });
  }
}

/** Call it inside a write. */
export function putSessionHead(state: Databases['state'], { key, ...head }: SessionHead): void {
  state.put(['session', key], JSON.stringify(head));
}

export function readSessionHead({ state }: Databases, key: string): SessionHead | null {
  const head = readState<Omit<SessionHead, 'key'>>(state, ['session', key]);
  return head === null ? null : { key, ...head };
}

/** Call it inside a transaction. @throws {StoreError} `CHAIN` if the first of these records exists already */
export function assertFree({ ledger }: Databases, [first]: readonly LedgerEntry[]): void {
  if (first !== undefined && ledger.doesExist(first.seq)) throw forked(first.seq);
}

/** A second process on the folder would have forked the chain. */
export function forked(seq: number): StoreError {
  return new StoreError('CHAIN', `record ${seq} already exists: nothing was written`);
}
