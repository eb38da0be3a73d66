import type { Readable } from 'node:stream';
import type { LedgerQuery, StoredRecord } from '@svc/contracts';
import { jsonList } from './json-list.ts';

/** Maximum number of records in a page that is read and sent as a whole: about 1.5 MB. A larger page is sent in parts. */
const MAX_WHOLE = 1000;
const PART = 200;

type Read = (query: LedgerQuery) => Promise<readonly StoredRecord[]>;

/** A page of records, byte for byte as sealed. `next`: the seq after which more records follow. A large page is read while it is sent. */
export async function ledgerPage(read: Read, query: LedgerQuery): Promise<{ body: string | Readable; next: number | null }> {
  const { limit } = query;
  if (limit > MAX_WHOLE) {
    const next = await endOf(read, query);
    return { body: jsonList('records', textsOf(read, query)), next };
  }
  const found = await read({ ...query, limit: limit + 1 });
  const records = found.slice(0, limit);
  return {
    body: `{"records":[${records.map(({ bytes }) => bytes).join(',')}]}`,
    next: found.length > limit ? (records.at(-1)?.seq ?? null) : null,
  };
}

/** The last seq of a page, if more records follow it. The records are read again later for their text, because they never change. */
async function endOf(read: Read, query: LedgerQuery): Promise<number | null> {
  let through = query.since_seq;
  for await (const records of inParts(read, query)) through = records.at(-1)?.seq ?? through;
  const [after] = await read({ ...query, since_seq: through, limit: 1 });
  return after === undefined ? null : through;
}

async function* textsOf(read: Read, query: LedgerQuery): AsyncGenerator<string[]> {
  for await (const records of inParts(read, query)) yield records.map(({ bytes }) => bytes);
}

async function* inParts(read: Read, query: LedgerQuery): AsyncGenerator<readonly StoredRecord[]> {
  let { since_seq, limit } = query;
  while (limit > 0) {
    const records = await read({ ...query, since_seq, limit: Math.min(limit, PART) });
    const last = records.at(-1);
    if (last === undefined) return;
    yield records;
    since_seq = last.seq;
    limit -= records.length;
  }
}
