import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LedgerQuery, LedgerRecordType, StoredRecord } from '@svc/sdk/plugin';
import { isStoreName } from '@svc/sdk/store';
import type { Databases } from './databases.ts';
import { decodeBlock, decodeEntry, type Entry, isRare, modelKey, typeKey } from './ledger.ts';

/** Records read before the event loop gets its turn. No iterator is kept over the turn: it would pin the pages of its snapshot. */
const CHUNK = 100;
const TYPES: readonly LedgerRecordType[] = ['run_evidence', 'model_inventory'];

interface Found extends Entry {
  readonly seq: number;
}

function bySeq({ ledger }: Databases, seqs: readonly number[]): Found[] {
  return seqs.flatMap((seq) => {
    const value = ledger.get(seq);
    return value === undefined ? [] : [{ seq, ...decodeEntry(value) }];
  });
}

/** The seqs after one of records of one model and type, in order: the first `limit` of them and perhaps some more. */
function seqsOfType({ ledgerIndex }: Databases, model_id: string, type: LedgerRecordType, after: number, limit: number) {
  // The block in which they begin may itself begin before them.
  const [begun] = ledgerIndex.getKeys({
    start: modelKey(model_id, type, after),
    end: modelKey(model_id, type, 0),
    reverse: true,
    limit: 1,
  });
  const start = begun ?? modelKey(model_id, type, after + 1);
  const seqs: number[] = [];
  for (const { key, value } of ledgerIndex.getRange({ start, end: modelKey(model_id, type, Infinity) })) {
    seqs.push(...decodeBlock(Number(key[3]), value).filter((seq) => seq > after));
    if (seqs.length >= limit) break;
  }
  return seqs;
}

/** The first seqs after one, in order, of records of one model. */
function seqsOfModel(dbs: Databases, model_id: string, types: readonly LedgerRecordType[], after: number, limit: number) {
  return types
    .flatMap((type) => seqsOfType(dbs, model_id, type, after, limit))
    .sort((a, b) => a - b)
    .slice(0, limit);
}

/** The next records after one, at most `size` and fewer only at the end; some may be of another type than asked. */
function nextRecords(dbs: Databases, { model_id, record_type }: LedgerQuery, after: number, size: number): Found[] {
  if (model_id !== undefined) {
    return bySeq(dbs, seqsOfModel(dbs, model_id, record_type === undefined ? TYPES : [record_type], after, size));
  }
  if (record_type !== undefined && isRare(record_type)) {
    const keys = dbs.ledgerIndex.getKeys({
      start: typeKey(record_type, after + 1),
      end: typeKey(record_type, Infinity),
      limit: size,
    });
    return bySeq(dbs, [...keys.map((key) => Number(key[2]))]);
  }
  const entries = dbs.ledger.getRange({ start: after + 1, limit: size });
  return [...entries.map(({ key, value }) => ({ seq: key, ...decodeEntry(value) }))];
}

export async function queryRecords(dbs: Databases, query: LedgerQuery): Promise<StoredRecord[]> {
  const records: StoredRecord[] = [];
  if (query.model_id !== undefined && !isStoreName(query.model_id)) return records;
  let after = query.since_seq;
  while (records.length < query.limit) {
    const size = Math.min(CHUNK, query.limit - records.length);
    const chunk = nextRecords(dbs, query, after, size);
    for (const { seq, bytes, record_type } of chunk) {
      if (query.record_type === undefined || record_type === query.record_type) records.push({ seq, bytes });
      after = seq;
    }
    if (chunk.length < size) break;
    await nextTurn();
  }
  return records;
}

export async function recordsBySeq(dbs: Databases, seqs: readonly number[]): Promise<StoredRecord[]> {
  const records: StoredRecord[] = [];
  for (let i = 0; i < seqs.length; i += CHUNK) {
    if (i > 0) await nextTurn();
    for (const { seq, bytes } of bySeq(dbs, seqs.slice(i, i + CHUNK))) records.push({ seq, bytes });
  }
  return records;
}
