import type { DumpItem, LedgerRecord, RunRow, RunStatus, SessionHead, StoreTotals } from '@svc/contracts';
import { type Checkpoint, checkpointText, LedgerVerifier, leafOf, sessionKey } from '@svc/ledger';
import { StoreCheck } from '@svc/runtime/records';
import { describe, expect, it } from 'vitest';
import { Tree } from '../../kernel/runtime/src/records/tree/tree.ts';
import { chain, evidence, inventory } from '../harness/evidence.ts';

const RECORDS = 600;
const NONE: Record<RunStatus, number> = { pending: 0, running: 0, paused: 0, completed: 0, blocked: 0, denied: 0, error: 0 };

/** The record of a run with a session. */
const OF_SESSION = 10;

const inSession = { client: 'codex', user: 'hmac-sha256:0', session: { id: 's', number: 1, prev_hash: 'genesis' } };
const bodies = [
  inventory(),
  ...Array.from({ length: RECORDS - 1 }, (_, n) => ({ ...evidence(n), ...(n + 1 === OF_SESSION && inSession) })),
];
const records = chain(bodies);

function rowOf(index: number): RunRow {
  const record = JSON.parse(records[index]?.bytes ?? '') as LedgerRecord;
  if (record.record_type !== 'run_evidence') throw new Error('no evidence');
  const { run_id, model_id: route, principal_id, status, created_at, approver, session, client, user } = record;
  const rest = { approvers: [], events: [], config_digest: '', expires_at: null, owner: 'a', version: 2 };
  const seen = approver as RunRow['approver'];
  return {
    run_id,
    route,
    principal_id,
    status,
    created_at,
    approver: seen,
    ...rest,
    ...(session !== undefined && { session: session.id }),
    ...(client !== undefined && { client }),
    ...(user !== undefined && { user }),
    evidence: { seq: record.seq, hash: record.hash },
  };
}

const waiting: RunRow = { ...rowOf(1), run_id: '00000000-0000-7000-8000-000000000001', status: 'paused', evidence: null };
const rows = [waiting, ...bodies.slice(1).map((_, n) => rowOf(n + 1))];
const counts: Record<RunStatus, number> = { ...NONE };
for (const { status } of rows) counts[status] += 1;

const sessionHead: SessionHead = {
  key: sessionKey(String(evidence(OF_SESSION - 1).principal_id), 's'),
  number: 1,
  seq: OF_SESSION + 1,
  hash: records[OF_SESSION]?.hash ?? '',
};

/** What a store keeps of the tree. */
async function treeMeta(): Promise<Map<string, string>> {
  const meta = new Map<string, string>();
  const tree = await Tree.load({
    readMeta: async (key) => meta.get(key) ?? null,
    writeMeta: async (key, _, value) => Boolean(meta.set(key, value)),
  });
  await tree.append(records.map(({ hash }) => leafOf(hash)));
  return meta;
}
const meta = await treeMeta();

function checkpointOver(size: number): Checkpoint {
  const verifier = new LedgerVerifier();
  for (const { bytes } of records.slice(0, size)) verifier.add(Buffer.from(bytes));
  return { origin: 'example.org/gateway', size, root: verifier.report().root };
}

interface Kept {
  totals: { head: { seq: number; hash: string } | null; runs: Record<RunStatus, number> };
  records: { seq: number; hash: string; bytes: string; model_id: string; record_type: 'run_evidence' | 'model_inventory' }[];
  rows: RunRow[];
  sessions: SessionHead[];
  cursor: number;
  meta: Map<string, string>;
  checkpoint: Checkpoint | null;
}

function kept(): Kept {
  return {
    totals: { head: { seq: RECORDS, hash: records.at(-1)?.hash ?? '' }, runs: { ...counts } },
    records: records.map(({ bytes, hash }, i) => ({
      seq: i + 1,
      hash,
      bytes,
      model_id: 'chat',
      record_type: i === 0 ? 'model_inventory' : 'run_evidence',
    })),
    rows: [...rows],
    sessions: [sessionHead],
    cursor: RECORDS,
    meta: new Map(meta),
    checkpoint: checkpointOver(500),
  };
}

async function check({ totals, records, rows, sessions, cursor, meta, checkpoint }: Kept) {
  const items: DumpItem[] = [
    ...records.map((record): DumpItem => ({ kind: 'record', record })),
    ...rows.map((run): DumpItem => ({ kind: 'run', run })),
    { kind: 'cursor', name: 'jsonl', seq: cursor },
    ...[...meta].map(([key, value]): DumpItem => ({ kind: 'meta', key, value })),
    ...sessions.map((head): DumpItem => ({ kind: 'session', head })),
  ];
  const note = checkpoint === null ? null : `${checkpointText(checkpoint)}\n— x AAAAAAAA\n`;
  const check = await StoreCheck.begin({ readMeta: async (key) => (key === 'ledger/checkpoint' ? note : null) });
  async function* dump(tell?: (kept: StoreTotals) => void) {
    tell?.(totals);
    yield* items;
  }
  let right = 0;
  for await (const item of check.items({ dump })) expect(item).toBe(items[right++]);
  const fault = check.end();
  if (fault === null) expect(right).toBe(items.length);
  return fault;
}

const cut = (seq: number) => ({ why: 'cut_off', seq, through: seq });
/** Ends the ledger after a record, and the head with it. */
function cutAfter(all: Kept, seq: number): void {
  all.records.length = seq;
  all.totals.head = { seq, hash: all.records.at(-1)?.hash ?? '' };
}
const one = <T>(values: T[], index: number, change: (value: T) => T): void =>
  void values.splice(index, 1, change(values[index] as T));

describe('a store', () => {
  it('that is intact is valid, whatever the size of its stored tree', async () => {
    expect(await check(kept())).toBeNull();
    expect(await check({ ...kept(), checkpoint: null, meta: new Map(), cursor: 0 })).toBeNull();
    expect(
      await check({
        ...kept(),
        checkpoint: null,
        meta: new Map(),
        cursor: 0,
        records: [],
        rows: [],
        sessions: [],
        totals: { head: null, runs: NONE },
      }),
    ).toBeNull();
  });

  it.each<[string, (all: Kept) => void, object]>([
    ['its last records', (all) => void all.records.splice(100), cut(101)],
    ['its last records, and its head set back', (all) => cutAfter(all, 590), cut(591)],
    [
      'its last records and their runs, and its head set back',
      (all) => {
        cutAfter(all, 590);
        all.rows.length = 590;
      },
      cut(591),
    ],
    [
      'its last records and all that knows of them but its checkpoint',
      (all) => {
        cutAfter(all, 400);
        Object.assign(all, { cursor: 0, meta: new Map(), rows: all.rows.slice(0, 400) });
      },
      cut(401),
    ],
    [
      'its last records and all that knows of them but how many runs there were',
      (all) => {
        cutAfter(all, 400);
        Object.assign(all, { cursor: 0, meta: new Map(), checkpoint: null, rows: all.rows.slice(0, 400) });
      },
      { why: 'run_counts' },
    ],
    ['records in the middle', (all) => void all.records.splice(99, 3), { why: 'wrong_seq', seq: 100 }],
    ['all its records', (all) => cutAfter(all, 0), cut(1)],
    ['the row of a run that ended', (all) => void all.rows.splice(50, 1), { why: 'no_run', seq: 51 }],
    ['the row of a run that waits', (all) => void all.rows.splice(0, 1), { why: 'run_counts', status: 'paused' }],
    [
      'a tile of its tree',
      (all) => void all.meta.set('tree/tile/0/1', all.meta.get('tree/tile/0/0') ?? ''),
      { why: 'other_tree' },
    ],
  ])('without %s is broken', async (_, change, fault) => {
    const all = kept();
    change(all);
    expect(await check(all)).toMatchObject(fault);
  });

  it.each<[string, (row: RunRow) => RunRow]>([
    ['principal', (row) => ({ ...row, principal_id: 'mallory' })],
    ['route', (row) => ({ ...row, route: 'other' })],
    ['status', (row) => ({ ...row, status: 'denied' })],
    ['time', (row) => ({ ...row, created_at: '2030-01-01T00:00:00.000Z' })],
    ['decision', (row) => ({ ...row, approver: { principal_id: 'm', decision: 'approved', at: row.created_at } })],
    ['session', (row) => ({ ...row, session: 'other' })],
    ['session (none)', ({ session: _, ...row }) => row],
    ['client', (row) => ({ ...row, client: 'other' })],
    ['user', (row) => ({ ...row, user: 'other' })],
    ['evidence, which is another run’s', (row) => ({ ...row, evidence: { seq: 12, hash: records[11]?.hash ?? '' } })],
    ['evidence by its hash', (row) => ({ ...row, evidence: { seq: row.evidence?.seq ?? 0, hash: records[20]?.hash ?? '' } })],
  ])('with a row of another %s than the evidence is broken', async (_, change) => {
    const all = kept();
    one(all.rows, OF_SESSION, change);
    expect(await check(all)).toMatchObject({ why: 'other_run', run_id: all.rows[OF_SESSION]?.run_id });
  });

  it("with a run whose evidence an earlier release wrote, without the client's fields, is valid", async () => {
    const all = kept();
    one(all.rows, 20, (row) => ({ ...row, session: 's', client: 'codex', user: 'hmac-sha256:0' }));
    expect(await check(all)).toBeNull();
  });

  it('without the last record of a session, or with another one, is broken', async () => {
    expect(await check({ ...kept(), sessions: [] })).toMatchObject({ why: 'other_session' });
    expect(await check({ ...kept(), sessions: [{ ...sessionHead, number: 2 }] })).toMatchObject({ why: 'other_session' });
  });

  it('with a run that ended without evidence, or continues with it, is broken', async () => {
    const all = kept();
    one(all.rows, 10, (row) => ({ ...row, evidence: null }));
    expect(await check(all)).toMatchObject({ why: 'no_evidence' });
    const older = kept();
    one(older.rows, 10, (row) => ({ ...row, status: 'running' as const, evidence: null }));
    expect(await check(older)).toMatchObject({ why: 'no_run', seq: 11 });
  });

  it('with a head that is not its last record, or precedes it, is broken', async () => {
    const all = kept();
    all.totals.head = { seq: RECORDS, hash: records[0]?.hash ?? '' };
    expect(await check(all)).toMatchObject({ why: 'other_head', seq: RECORDS });
    all.totals.head = { seq: 10, hash: records[9]?.hash ?? '' };
    expect(await check(all)).toMatchObject({ why: 'other_head', seq: RECORDS });
  });

  it("with a record under another record's name is broken", async () => {
    const all = kept();
    one(all.records, 70, (record) => ({ ...record, model_id: 'other' }));
    expect(await check(all)).toMatchObject({ why: 'misfiled', seq: 71 });
  });

  it('whose records were rewritten does not match its checkpoint', async () => {
    const all = kept();
    all.checkpoint = { ...checkpointOver(500), root: checkpointOver(499).root };
    expect(await check(all)).toMatchObject({ why: 'not_as_signed', through: 500 });
  });
});

describe('if threads read many records,', () => {
  const many = chain(Array.from({ length: 4500 }, (_, n) => inventory(n))).map(({ bytes, hash }, n) => {
    const model_id = n === 0 ? 'chat' : `chat-${n}`;
    return { seq: n + 1, hash, bytes, model_id, record_type: 'model_inventory' as const };
  });
  type Many = typeof many;

  async function found(records: Many, { failing = false, head = many.at(-1) } = {}) {
    async function* dump(tell?: (kept: StoreTotals) => void): AsyncGenerator<DumpItem> {
      tell?.({ head: head === undefined ? null : { seq: head.seq, hash: head.hash }, runs: NONE });
      for (const record of records) yield { kind: 'record', record };
      if (failing) throw new Error('the disk is damaged');
      yield { kind: 'cursor', name: 'jsonl', seq: 1 };
    }
    const check = await StoreCheck.begin({ readMeta: async () => null });
    const seqs: number[] = [];
    for await (const item of check.items({ dump })) if (item.kind === 'record') seqs.push(item.record.seq);
    return { fault: check.end(), seqs };
  }

  const wrong = (index: number, change: (record: Many[number]) => Partial<Many[number]>): Many =>
    many.map((record, i) => (i === index ? { ...record, ...change(record) } : record));

  it('all are returned in order, and an intact store is valid', async () => {
    expect(await found(many)).toEqual({ fault: null, seqs: many.map(({ seq }) => seq) });
  });

  it.each<[string, Many, object]>([
    ['is altered', wrong(2999, ({ bytes }) => ({ bytes: bytes.replace('gpt-4o', 'gpt-5o') })), { why: 'wrong_hash', seq: 3000 }],
    ['is no JSON', wrong(4499, () => ({ bytes: '{' })), { why: 'not_json', seq: 4500 }],
    ['is another one', wrong(3100, () => ({ bytes: many[3200]?.bytes ?? '' })), { why: 'wrong_seq', seq: 3101 }],
    ['is missing', many.toSpliced(2500, 1), { why: 'wrong_seq', seq: 2501 }],
    ['is misfiled', wrong(3500, () => ({ model_id: 'other' })), { why: 'misfiled', seq: 3501 }],
    ['and all after it are gone', many.slice(0, 4000), { why: 'cut_off', seq: 4001 }],
  ])('the first fault is found if one %s', async (_, records, fault) => {
    const { fault: first, seqs } = await found(records);
    expect(first).toMatchObject(fault);
    expect(seqs.length).toBe((first !== null && 'seq' in first ? first.seq : 0) - 1);
  });

  it('faults before the dump fails are found; otherwise the failure is reported', async () => {
    expect(
      (
        await found(
          wrong(4400, () => ({ bytes: '{}' })),
          { failing: true },
        )
      ).fault,
    ).toMatchObject({ seq: 4401 });
    await expect(found(many, { failing: true })).rejects.toThrow('damaged');
  });
});
