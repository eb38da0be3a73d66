import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LedgerEntry, LedgerQuery, LedgerRecordType, StoredRecord } from '@svc/sdk/store';
import { isStoreName } from '@svc/toolkit/store';
import type { Recent } from './commits.ts';
import type { Databases } from './tables/databases.ts';
import { decodeEntry, type Entry, isRare, modelKey, RECORD_TYPES, typeKey } from './tables/ledger.ts';

/** How many records are read before yielding to the event loop. No iterator is kept in between, because it would pin the pages of its snapshot. */
const CHUNK = 100;

interface Found extends Entry {
  readonly seq: number;
}

/** Refuses damaged records: before LMDB reads them, and afterwards by their content. */
export interface RecordGuard {
  assertWhole(from: number, through: number): void;
  assertSealed(seq: number, record: Entry): void;
}

function found(seq: number, value: string, guard: RecordGuard): Found {
  const entry = decodeEntry(value);
  guard.assertSealed(seq, entry);
  return { seq, ...entry };
}

function bySeq({ ledger }: Databases, seqs: readonly number[], guard: RecordGuard): Found[] {
  return seqs.flatMap((seq) => {
    guard.assertWhole(seq, seq);
    const value = ledger.get(seq);
    return value === undefined ? [] : [found(seq, value, guard)];
  });
}

/** The first seqs after a given one, in order, of records of one model. */
function seqsOfModel(
  { ledgerIndex }: Databases,
  model_id: string,
  types: readonly LedgerRecordType[],
  after: number,
  limit: number,
) {
  return types
    .flatMap((type) => [
      ...ledgerIndex.getKeys({ start: modelKey(model_id, type, after + 1), end: modelKey(model_id, type, Infinity), limit }),
    ])
    .map((key) => Number(key[3]))
    .sort((a, b) => a - b)
    .slice(0, limit);
}

/** The next records after a given one: at most `size`, and fewer only at the end. Some may have another type than requested. */
function nextRecords(
  dbs: Databases,
  { model_id, record_type }: LedgerQuery,
  after: number,
  size: number,
  guard: RecordGuard,
): Found[] {
  if (model_id !== undefined) {
    return bySeq(dbs, seqsOfModel(dbs, model_id, record_type === undefined ? RECORD_TYPES : [record_type], after, size), guard);
  }
  if (record_type !== undefined && isRare(record_type)) {
    const keys = dbs.ledgerIndex.getKeys({
      start: typeKey(record_type, after + 1),
      end: typeKey(record_type, Infinity),
      limit: size,
    });
    return bySeq(dbs, [...keys.map((key) => Number(key[2]))], guard);
  }
  // LMDB's cursor also moves to the record after the last one.
  guard.assertWhole(after + 1, after + size + 1);
  const entries = dbs.ledger.getRange({ start: after + 1, limit: size });
  return [...entries.map(({ key, value }) => found(key, value, guard))];
}

export async function queryRecords(
  dbs: Databases,
  recent: Recent,
  query: LedgerQuery,
  guard: RecordGuard,
): Promise<StoredRecord[]> {
  const records: StoredRecord[] = [];
  if (query.model_id !== undefined && !isStoreName(query.model_id)) return records;
  let after = query.since_seq;
  while (records.length < query.limit) {
    const size = Math.min(CHUNK, query.limit - records.length);
    const chunk = nextRecords(dbs, query, after, size, guard);
    for (const { seq, bytes, record_type } of chunk) {
      if (query.record_type === undefined || record_type === query.record_type) records.push({ seq, bytes });
      after = seq;
    }
    if (chunk.length < size) {
      // Read in the same turn, so LMDB gets no new records in between.
      const rest = recent.records.filter((record) => record.seq > after && isAsked(record, query));
      return [...records, ...rest.slice(0, query.limit - records.length).map(({ seq, bytes }) => ({ seq, bytes }))];
    }
    await nextTurn();
  }
  return records;
}

function isAsked(record: LedgerEntry, { model_id, record_type }: LedgerQuery): boolean {
  return (
    (model_id === undefined || record.model_id === model_id) && (record_type === undefined || record.record_type === record_type)
  );
}

export async function recordsBySeq(
  dbs: Databases,
  recent: Recent,
  seqs: readonly number[],
  guard: RecordGuard,
): Promise<StoredRecord[]> {
  const records: StoredRecord[] = [];
  for (let i = 0; i < seqs.length; i += CHUNK) {
    if (i > 0) await nextTurn();
    const newer = new Map(recent.records.map((record) => [record.seq, record]));
    for (const seq of seqs.slice(i, i + CHUNK)) {
      const found = newer.get(seq) ?? bySeq(dbs, [seq], guard)[0];
      if (found !== undefined) records.push({ seq, bytes: found.bytes });
    }
  }
  return records;
}
