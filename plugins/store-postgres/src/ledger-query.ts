import type { LedgerQuery, StoredRecord } from '@svc/sdk/store';
import { isStoreName } from '@svc/toolkit/store';
import type { Connections } from './connections.ts';

export async function queryRecords(db: Connections, query: LedgerQuery): Promise<StoredRecord[]> {
  const { since_seq, limit, model_id, record_type } = query;
  if (model_id !== undefined && !isStoreName(model_id)) return [];
  const conditions = ['seq > $1'];
  const values: unknown[] = [since_seq, limit];
  for (const [column, value] of Object.entries({ model_id, record_type })) {
    if (value === undefined) continue;
    values.push(value);
    conditions.push(`${column} = $${values.length}`);
  }
  return db.read<{ seq: number; bytes: string }>(
    `SELECT seq, bytes FROM svc.ledger WHERE ${conditions.join(' AND ')} ORDER BY seq LIMIT $2`,
    values,
  );
}

export async function recordsBySeq(db: Connections, seqs: readonly number[]): Promise<StoredRecord[]> {
  if (seqs.length === 0) return [];
  return db.read<{ seq: number; bytes: string }>(
    `SELECT l.seq, l.bytes FROM unnest($1::bigint[]) WITH ORDINALITY AS asked(seq, place)
     JOIN svc.ledger l ON l.seq = asked.seq ORDER BY asked.place`,
    [seqs],
  );
}
