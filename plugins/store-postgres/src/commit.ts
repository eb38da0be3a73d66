import type {
  CommitOutcome,
  CounterSettlement,
  EvidencePointer,
  LedgerEntry,
  LedgerHead,
  RunRow,
  RunStatus,
  SessionHead,
  UnplacedRecord,
} from '@svc/sdk/store';
import {
  decide,
  evidencePointerOf,
  movesOf,
  outcomeOf,
  type PreparedChange,
  placeRecords,
  rowText,
  sessionKeysOf,
  settle,
  type Winner,
} from '@svc/toolkit/store';
import type { Connections, Transaction } from './connections.ts';
import { writeContent } from './content.ts';
import { LOCK_COUNTERS, LoadedCounters } from './counters.ts';
import { type HeadRow, headOf, runOf, type StoredRun } from './rows.ts';
import { tryDisk } from './trial.ts';

/** The row that every commit locks. */
export const LOCK_HEAD = 'SELECT seq, hash FROM svc.head FOR UPDATE';

/** Commits in two round trips: lock and read, then write and commit. The head stays locked through both, including the wait for the disk. */
export function commit(
  connections: Connections,
  changes: readonly PreparedChange[],
  unplaced: readonly UnplacedRecord[],
  now: number,
): Promise<CommitOutcome[]> {
  return connections.transaction(async (tx) => {
    const { head, sessions, decided, counters } = await lockAndDecide(tx, changes, unplaced);
    const { decisions, winners, last } = decided;
    const { records, pointers } = placeRecords(head, unplaced, decisions, (key) => sessions.get(key) ?? null);
    if (winners.length === 0 && records.length === 0) {
      if (changes.length === 0) await tryDisk(tx);
      await tx.commit();
      return decisions.map((decision) => outcomeOf(decision, pointers));
    }
    for (const { prepared } of winners) {
      for (const settlement of prepared.change.settlements) settle(counters, now, settlement);
    }
    await Promise.all([
      ...writeRows(tx, last, pointers, records),
      ...writeContent(tx, winners),
      ...writeKeys(tx, winners),
      ...writeSessions(tx, records),
      ...counters.save(tx),
      tx.commit(),
    ]);
    return decisions.map((decision) => outcomeOf(decision, pointers));
  });
}

async function lockAndDecide(tx: Transaction, changes: readonly PreparedChange[], unplaced: readonly UnplacedRecord[]) {
  const keys = changes.flatMap(({ change }) => (change.unique_key === undefined ? [] : [change.unique_key]));
  const sessionKeys = sessionKeysOf(changes, unplaced);
  const [head, rows, holders, sessions, counters] = await Promise.all([
    tx.begin<HeadRow>(LOCK_HEAD),
    changes.length === 0
      ? []
      : tx.query<StoredRun & { run_id: string }>('rows', 'SELECT run_id, body FROM svc.run WHERE run_id = ANY($1)', [
          changes.map(({ run }) => run.run_id),
        ]),
    keys.length === 0
      ? []
      : tx.query<{ key: string; run_id: string }>('keys', 'SELECT key, run_id FROM svc.unique_key WHERE key = ANY($1)', [keys]),
    sessionKeys.length === 0
      ? []
      : tx.query<SessionHead>('sessions', 'SELECT key, number, seq, hash FROM svc.session WHERE key = ANY($1)', [sessionKeys]),
    countersOf(
      tx,
      changes.flatMap(({ change }) => change.settlements),
    ),
  ]);
  const bodies = new Map(rows.map((row) => [row.run_id, row]));
  const keyHolders = new Map(holders.map(({ key, run_id }) => [key, run_id]));
  const storedRow = (run_id: string): RunRow | null => {
    const row = bodies.get(run_id);
    return row === undefined ? null : runOf(row);
  };
  const decided = decide(changes, {
    fields: storedRow,
    row: storedRow,
    keyHolder: (unique_key) => keyHolders.get(unique_key),
  });
  return { head: headOf(head), sessions: new Map(sessions.map((session) => [session.key, session])), decided, counters };
}

/** Locks the counters of these settlements. */
function countersOf(tx: Transaction, settlements: readonly CounterSettlement[]): Promise<LoadedCounters> {
  if (settlements.length === 0) return Promise.resolve(LoadedCounters.none());
  const locked = tx.query('lock-counters', LOCK_COUNTERS, []);
  return Promise.all([LoadedCounters.forSettlements(tx, settlements), locked]).then(([counters]) => counters);
}

/** Writes rows, counts, records and the head in one statement. */
function writeRows(
  tx: Transaction,
  last: readonly Winner[],
  pointers: ReadonlyMap<number, EvidencePointer>,
  records: readonly LedgerEntry[],
): Promise<unknown>[] {
  if (last.length === 0 && records.length === 0) return [];
  const moves: [RunStatus, number][] = [...movesOf(last)];
  const head: LedgerHead | undefined = records.at(-1);
  const columns = (['run_id', 'created_at', 'status', 'route', 'principal_id', 'owner', 'session'] as const).map((field) =>
    last.map(({ prepared }) => prepared.run[field] ?? null),
  );
  return [
    tx.query(
      'write',
      `WITH written AS (
         INSERT INTO svc.run (run_id, created_at, status, route, principal_id, owner, session, body)
         SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
         ON CONFLICT (run_id) DO UPDATE SET created_at = excluded.created_at, status = excluded.status, route = excluded.route,
           principal_id = excluded.principal_id, owner = excluded.owner, session = excluded.session, body = excluded.body
       ), counted AS (
         INSERT INTO svc.run_count AS c (status, n) SELECT * FROM unnest($9::text[], $10::bigint[])
         ON CONFLICT (status) DO UPDATE SET n = c.n + excluded.n
       ), sealed AS (
         INSERT INTO svc.ledger (seq, hash, record_type, model_id, bytes)
         SELECT * FROM unnest($11::bigint[], $12::text[], $13::text[], $14::text[], $15::text[])
       )
       UPDATE svc.head SET seq = $16, hash = $17 WHERE $16::bigint IS NOT NULL`,
      [
        ...columns,
        last.map((winner) => rowText(winner.prepared, evidencePointerOf(winner, pointers))),
        moves.map(([status]) => status),
        moves.map(([, n]) => n),
        ...(['seq', 'hash', 'record_type', 'model_id', 'bytes'] as const).map((field) => records.map((record) => record[field])),
        head?.seq ?? null,
        head?.hash ?? null,
      ],
    ),
  ];
}

/** The last record of each session. */
function writeSessions(tx: Transaction, records: readonly LedgerEntry[]): Promise<unknown>[] {
  const heads = new Map<string, SessionHead>();
  for (const { session, seq, hash } of records) if (session !== undefined) heads.set(session.key, { ...session, seq, hash });
  if (heads.size === 0) return [];
  const columns = (['key', 'number', 'seq', 'hash'] as const).map((field) => [...heads.values()].map((head) => head[field]));
  return [
    tx.query(
      'write-sessions',
      `INSERT INTO svc.session (key, number, seq, hash) SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[])
       ON CONFLICT (key) DO UPDATE SET number = excluded.number, seq = excluded.seq, hash = excluded.hash`,
      columns,
    ),
  ];
}

function writeKeys(tx: Transaction, winners: readonly Winner[]): Promise<unknown>[] {
  const taken = winners.flatMap(({ prepared: { change, run } }) =>
    change.expect === null && change.unique_key !== undefined ? [{ key: change.unique_key, run_id: run.run_id }] : [],
  );
  if (taken.length === 0) return [];
  return [
    tx.query('take-keys', 'INSERT INTO svc.unique_key (key, run_id) SELECT * FROM unnest($1::text[], $2::text[])', [
      taken.map(({ key }) => key),
      taken.map(({ run_id }) => run_id),
    ]),
  ];
}
