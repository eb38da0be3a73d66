import { setImmediate as nextTurn } from 'node:timers/promises';
import { type DumpItem, type LedgerEntry, StoreError, type StoreTotals } from '@svc/sdk/store';
import type { Database, Key, Transaction } from 'lmdb';
import { countRuns, type Recent } from './commits.ts';
import { LAST } from './last-key.ts';
import { leaseToken } from './leases.ts';
import type { Databases } from './tables/databases.ts';
import { decodeEntry, modelKey, RECORD_TYPES, readHead } from './tables/ledger.ts';

/** Number of entries to read ahead before yielding to the event loop. */
const CHUNK = 100;
/** Content may be large. */
const CONTENT_CHUNK = 8;

interface Range<K extends Key> {
  readonly start: K;
  readonly end: K;
  readonly limit?: number;
}

/** Entries in the order of their keys, as the transaction sees them. */
async function* entriesOf<V, K extends Key>(
  db: Database<V, K>,
  transaction: Transaction,
  { start, end, limit = CHUNK }: Range<K>,
): AsyncGenerator<{ readonly key: K; readonly value: V }> {
  let from = start;
  for (let full = true, exclusiveStart = false; full; exclusiveStart = true) {
    const chunk = [...db.getRange({ start: from, end, exclusiveStart, limit, transaction })];
    for (const entry of chunk) {
      yield entry;
      from = entry.key;
    }
    full = chunk.length === limit;
    await nextTurn();
  }
}

/** Models of the ledger's records: one step for each, since the entries of a model are adjacent. */
function modelsOf({ ledgerIndex }: Databases, transaction: Transaction): string[] {
  const models: string[] = [];
  for (;;) {
    const start = models.length === 0 ? ['model'] : ['model', models.at(-1) ?? '', LAST];
    const [key] = [...ledgerIndex.getKeys({ start, end: ['model', LAST], limit: 1, transaction })];
    if (key === undefined) return models;
    models.push(String(key[1]));
  }
}

type Kind = Pick<LedgerEntry, 'model_id' | 'record_type'>;

/** Model and type of each record from one seq to another: only the index has the model. */
function kindsBySeq(
  { ledgerIndex }: Databases,
  transaction: Transaction,
  models: readonly string[],
  first: number,
  last: number,
): Map<number, Kind> {
  const found = new Map<number, Kind>();
  for (const model_id of models) {
    for (const record_type of RECORD_TYPES) {
      const range = {
        start: modelKey(model_id, record_type, first),
        end: modelKey(model_id, record_type, last + 1),
        transaction,
      };
      for (const key of ledgerIndex.getKeys(range)) found.set(Number(key[3]), { model_id, record_type });
    }
  }
  return found;
}

async function* records(dbs: Databases, transaction: Transaction): AsyncGenerator<LedgerEntry> {
  const models = modelsOf(dbs, transaction);
  let kinds = new Map<number, Kind>();
  for await (const { key: seq, value } of entriesOf(dbs.ledger, transaction, { start: 0, end: Infinity })) {
    if (!kinds.has(seq)) kinds = kindsBySeq(dbs, transaction, models, seq, seq + CHUNK);
    const kind = kinds.get(seq);
    if (kind === undefined) throw new StoreError('CHAIN', `record ${seq} is missing from every index: the folder is damaged`);
    const { hash, bytes } = decodeEntry(value);
    yield { seq, hash, bytes, ...kind };
  }
}

/** Name and value of each entry of `state` whose key begins with `kind`. */
async function* named(
  { state }: Databases,
  transaction: Transaction,
  kind: string,
): AsyncGenerator<{ readonly name: string; readonly value: string }> {
  for await (const { key, value } of entriesOf(state, transaction, { start: [kind], end: [kind, LAST] }))
    yield { name: String(key[1]), value };
}

async function* sessionHeads(dbs: Databases, { sessions }: Recent, transaction: Transaction): AsyncGenerator<DumpItem> {
  for await (const { name: key, value } of named(dbs, transaction, 'session'))
    if (!sessions.has(key)) yield { kind: 'session', head: { key, ...JSON.parse(value) } };
  for (const head of sessions.values()) yield { kind: 'session', head };
}

/** The stored totals, as the transaction sees them. */
export function totalsIn(dbs: Databases, recent: Recent, transaction: Transaction): StoreTotals {
  return { head: recent.records.at(-1) ?? readHead(dbs, transaction), runs: countRuns(dbs, recent, transaction) };
}

/** Everything in the folder, as the transaction sees it. @param recent its state when the transaction began */
export async function* dumpItems(dbs: Databases, recent: Recent, transaction: Transaction): AsyncGenerator<DumpItem> {
  let last = 0;
  for await (const record of records(dbs, transaction)) {
    yield { kind: 'record', record };
    last = record.seq;
  }
  for (const { seq, hash, bytes, record_type, model_id } of recent.records)
    if (seq > last) yield { kind: 'record', record: { seq, hash, bytes, record_type, model_id } };
  yield* sessionHeads(dbs, recent, transaction);
  const newer = recent.rows;
  for await (const { key, value } of entriesOf(dbs.runs, transaction, { start: '', end: LAST })) {
    if (!newer.has(key)) yield { kind: 'run', run: JSON.parse(value) };
  }
  for (const { text } of newer.values()) yield { kind: 'run', run: JSON.parse(text) };
  const contents = entriesOf(dbs.content, transaction, { start: [''], end: [LAST], limit: CONTENT_CHUNK });
  for await (const { key, value } of contents) {
    const [run_id, name, at] = key;
    const item = { name: String(name), bytes: new Uint8Array(value), expires_at: at === Infinity ? null : Number(at) };
    yield { kind: 'content', run_id: String(run_id), item };
  }
  for await (const { name, value } of named(dbs, transaction, 'unique')) yield { kind: 'unique_key', key: name, run_id: value };
  for await (const { name, value } of named(dbs, transaction, 'counter')) {
    yield { kind: 'counter', key: name, row: JSON.parse(value) };
  }
  for await (const { name, value } of named(dbs, transaction, 'reservation')) {
    yield { kind: 'reservation', id: name, row: JSON.parse(value) };
  }
  for await (const { name, value } of named(dbs, transaction, 'lease')) yield { kind: 'lease', name, token: leaseToken(value) };
  for await (const { name, value } of named(dbs, transaction, 'cursor')) yield { kind: 'cursor', name, seq: Number(value) };
  for await (const { name, value } of named(dbs, transaction, 'meta')) yield { kind: 'meta', key: name, value };
}
