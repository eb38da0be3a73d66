import type { CommitOutcome, Logger, RunChange, RunRow } from '@svc/contracts';
import { evidenceOf, verifyLedger } from '@svc/ledger';
import { describe, expect, it, vi } from 'vitest';
import { noopObserver, safeObserver } from '../../kernel/kernel/src/observing/observer.ts';
import { LedgerWriter } from '../../kernel/kernel/src/runs/ledger-writer.ts';
import { TroubledStore } from '../../kernel/runtime/src/records/ledger/test-store.ts';

const AT = '2026-01-05T09:00:00.000Z';

function aRow(n: number, fields: Partial<RunRow> = {}): RunRow {
  return {
    run_id: `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`,
    route: 'default',
    principal_id: 'alice',
    status: 'completed',
    approvers: [],
    events: [],
    config_digest: `sha256:${'0'.repeat(64)}`,
    created_at: AT,
    expires_at: null,
    approver: null,
    owner: 'instance-a',
    version: 1,
    evidence: null,
    ...fields,
  };
}

function changeOf(run: RunRow, expected: RunChange['expect'] = null): RunChange {
  return { run, expect: expected, put_content: [], drop_content: [], settlements: [] };
}

function scene() {
  const store = new TroubledStore();
  const lines: object[] = [];
  const commits: number[] = [];
  const outages: number[] = [];
  const log = (fields: object): void => void lines.push(fields);
  const logger: Logger = { debug: log, info: log, warn: log, error: log };
  const observer = safeObserver({
    ...noopObserver,
    commit: (_duration_ms, changes) => void commits.push(changes),
  });
  const afterOutage = (): void => void outages.push(store.groups.length);
  const writer = new LedgerWriter(store, { clock: { now: () => 0, monotonic: () => 0 }, logger, observer, afterOutage });
  /** Ends a new run, with evidence. */
  const end = (n: number, fields: Partial<RunRow> = {}): Promise<CommitOutcome> => {
    const row = aRow(n, fields);
    return writer.commit(changeOf(row), evidenceOf(row, null, AT));
  };
  return { store, writer, end, lines, commits, outages };
}

const chain = (store: TroubledStore) => verifyLedger(store.ledger.map(({ bytes }) => bytes));
/** What keeps a process alive. */
const resources = (): string[] => process.getActiveResourcesInfo();
const many = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

it('does not keep the process alive once everything is written', async () => {
  const { end } = scene();
  const before = resources();
  await end(1);
  expect(resources()).toEqual(before);
});

describe('group commit', () => {
  it('writes concurrent changes in one commit, each with its own record in one chain', async () => {
    const { store, end, commits } = scene();
    const outcomes = await Promise.all(many(100).map((n) => end(n)));
    expect(store.groups).toEqual([100]);
    expect(commits).toEqual([100]);
    expect(outcomes).toEqual(store.ledger.map(({ seq, hash }) => ({ result: 'committed', evidence: { seq, hash } })));
    expect(store.ledger.map(({ bytes }) => JSON.parse(bytes).run_id)).toEqual(many(100).map((n) => aRow(n).run_id));
    expect(await chain(store)).toMatchObject({ records: 100, fault: null });
  });

  it('gathers changes that arrive during a write into the next', async () => {
    const { store, end } = scene();
    const gate = Promise.withResolvers<void>();
    store.gate = gate.promise;
    const first = end(1);
    await vi.waitUntil(() => store.groups.length === 1);
    const later = many(5).map((n) => end(n + 1));
    gate.resolve();
    await Promise.all([first, ...later]);
    expect(store.groups).toEqual([1, 5]);
    expect(await chain(store)).toMatchObject({ records: 6, fault: null });
  });

  it('under load waits a few turns of the event loop for more changes, even after an empty one', async () => {
    const { store, end } = scene();
    for (const n of [1, 3]) {
      const first = end(n);
      await new Promise(setImmediate);
      await new Promise(setImmediate);
      await Promise.all([first, end(n + 1)]);
    }
    expect(store.groups).toEqual([2, 2]);
  });

  it('after a group of one, a change goes to the store at once', async () => {
    const { store, end } = scene();
    await end(1);
    for (const n of [2, 3]) {
      await new Promise(setImmediate);
      const alone = end(n);
      expect(store.groups).toHaveLength(n);
      await alone;
    }
    expect(store.groups).toEqual([1, 1, 1]);
  });

  it('limits the size of a group, and loses nothing above the limit', async () => {
    const { store, end } = scene();
    await Promise.all(many(600).map((n) => end(n)));
    expect(store.groups).toEqual([256, 256, 88]);
    expect(await chain(store)).toMatchObject({ records: 600, fault: null });
  });

  it('writes again after a pause', async () => {
    const { store, end } = scene();
    await end(1);
    await end(2);
    expect(store.groups).toEqual([1, 1]);
    expect(await chain(store)).toMatchObject({ records: 2, fault: null });
  });

  it('a change without evidence does not use a place in the ledger', async () => {
    const { writer, end } = scene();
    const paused = writer.commit(changeOf(aRow(1, { status: 'paused' })), null);
    const outcomes = await Promise.all([paused, end(2)]);
    expect(outcomes).toMatchObject([{ evidence: null }, { evidence: { seq: 1 } }]);
  });

  it('drain waits for the current write', async () => {
    const { store, writer, end } = scene();
    const ended = many(3).map((n) => end(n));
    await writer.drain();
    expect(store.ledger).toHaveLength(3);
    await Promise.all(ended);
  });

  it("records without a run continue the chain of the runs' records", async () => {
    const { store, writer, end } = scene();
    await end(1);
    const parts = evidenceOf(aRow(2), null, AT);
    await writer.append([{ record_type: 'run_evidence', model_id: 'default', parts, change: null }]);
    await end(3);
    expect(store.ledger.map(({ change }) => change)).toEqual([0, null, 0]);
    expect(await chain(store)).toMatchObject({ records: 3, fault: null });
  });
});

describe('a conflict', () => {
  it('affects only its own change: no record, and the chain continues without a gap', async () => {
    const { store, end } = scene();
    await end(2);
    const outcomes = await Promise.all([end(1), end(2), end(3)]);
    expect(outcomes.map(({ result }) => result)).toEqual(['committed', 'conflict', 'committed']);
    expect(outcomes[1]).toMatchObject({ current: { run_id: aRow(2).run_id } });
    expect(await chain(store)).toMatchObject({ records: 3, fault: null });
  });

  it('lets one of two changes of one run win', async () => {
    const { store, writer } = scene();
    await writer.commit(changeOf(aRow(1, { status: 'paused' })), null);
    const expected = { status: 'paused', version: 1, owner: 'instance-a' } as const;
    const move = (status: 'running' | 'denied'): Promise<CommitOutcome> =>
      writer.commit(changeOf(aRow(1, { status, version: 2 }), expected), null);
    const outcomes = await Promise.all([move('running'), move('denied')]);
    expect(outcomes.map(({ result }) => result)).toEqual(['committed', 'conflict']);
    expect(store.rows.get(aRow(1).run_id)?.status).toBe('running');
  });
});

describe('a change that breaks its group', () => {
  it('affects only itself: the others are written, and the chain stays intact', async () => {
    const { store, writer, end } = scene();
    store.poisoned = aRow(2).run_id;
    const settled = await Promise.allSettled([end(1), end(2), end(3)]);
    expect(settled).toMatchObject([
      { status: 'fulfilled', value: { result: 'committed', evidence: { seq: 1 } } },
      { status: 'rejected', reason: { code: 'SVC-STORE-001' } },
      { status: 'fulfilled', value: { result: 'committed', evidence: { seq: 2 } } },
    ]);
    expect(store.rows.has(aRow(2).run_id)).toBe(false);
    expect(await chain(store)).toMatchObject({ records: 2, fault: null });
    expect(writer.writable).toBe(true);
  });
});

describe('a store that fails', () => {
  it('causes SVC-STORE-001 for every change of the group, after two of them were tried alone', async () => {
    const { store, writer, end, lines } = scene();
    store.trouble = 'before';
    const settled = await Promise.allSettled(many(5).map((n) => end(n)));
    for (const result of settled)
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'SVC-STORE-001', status: 503 } });
    expect(writer.writable).toBe(false);
    expect(lines).toMatchObject([5, 1, 1].map((changes) => ({ event: 'commit_failed', changes })));
  });

  it('is retried once for a single change, so that a broken connection loses no answer', async () => {
    const { store, end } = scene();
    const commit = store.commit.bind(store);
    let failures = 1;
    store.commit = (...group) => (failures-- > 0 ? Promise.reject(new Error('the connection broke')) : commit(...group));
    expect(await end(1)).toMatchObject({ result: 'committed', evidence: { seq: 1 } });
    expect(await chain(store)).toMatchObject({ records: 1, fault: null });
  });

  it('recovers with the first successful write, reported once', async () => {
    const { store, writer, end, outages } = scene();
    store.trouble = 'before';
    await Promise.allSettled([end(1), end(2)]);
    await expect(writer.assertWritable()).rejects.toMatchObject({ code: 'SVC-STORE-001' });
    expect(outages).toEqual([]);
    store.trouble = null;
    await writer.assertWritable();
    await end(3);
    expect(outages).toHaveLength(1);
    store.trouble = 'before';
    await Promise.allSettled([end(4)]);
    store.trouble = null;
    await end(5);
    expect(outages).toHaveLength(2);
  });

  it('is not written to by assertWritable while it works', async () => {
    const { store, writer, end } = scene();
    await writer.assertWritable();
    await end(1);
    await writer.assertWritable();
    expect(store.groups).toEqual([1]);
  });

  it('refuses new work until a write succeeds, and reports this each time', async () => {
    const { store, writer, end } = scene();
    store.trouble = 'before';
    await expect(end(1)).rejects.toMatchObject({ code: 'SVC-STORE-001' });
    await expect(writer.assertWritable()).rejects.toMatchObject({ code: 'SVC-STORE-001' });
    await expect(writer.assertWritable()).rejects.toMatchObject({ code: 'SVC-STORE-001' });
    expect(writer.writable).toBe(false);
    store.trouble = null;
    await writer.assertWritable();
    expect(writer.writable).toBe(true);
    expect(await end(2)).toMatchObject({ result: 'committed', evidence: { seq: 1 } });
    expect(await chain(store)).toMatchObject({ records: 1, fault: null });
  });

  it('writes the meanwhile collected changes once it works again', async () => {
    const { store, writer, end } = scene();
    const gate = Promise.withResolvers<void>();
    store.gate = gate.promise;
    store.trouble = 'before';
    const first = end(1);
    await vi.waitUntil(() => store.groups.length === 1);
    const later = end(2);
    const failed = expect(first).rejects.toMatchObject({ code: 'SVC-STORE-001' });
    // The second group is tried after the first has been told.
    void first.catch(() => {
      store.trouble = null;
    });
    gate.resolve();
    await failed;
    expect(await later).toMatchObject({ result: 'committed', evidence: { seq: 1 } });
    expect(writer.writable).toBe(true);
  });

  it('that had written before it rejected recognises the change, and its evidence is the one on disk', async () => {
    const { store, writer, end, lines, outages } = scene();
    store.trouble = 'after';
    const outcomes = await Promise.all([end(1), end(2)]);
    expect(outcomes).toEqual(store.ledger.map(({ seq, hash }) => ({ result: 'committed', evidence: { seq, hash } })));
    expect(await chain(store)).toMatchObject({ records: 2, fault: null });
    // The failed write is told, and the next one that works ends the outage.
    expect(lines).toMatchObject([{ event: 'commit_failed', changes: 2 }]);
    expect([store.groups, outages, writer.writable]).toEqual([[2, 1, 1], [2], true]);
  });

  it("that had written before it rejected: another's row does not count as success", async () => {
    const { store, end } = scene();
    await end(1, { owner: 'instance-b' });
    store.trouble = 'after';
    expect(await end(1)).toMatchObject({ result: 'conflict' });
  });

  it('that had written before it rejected: of two equal changes of one run, still only one wins', async () => {
    const { store, writer } = scene();
    await writer.commit(changeOf(aRow(1, { status: 'paused' })), null);
    const expected = { status: 'paused', version: 1, owner: 'instance-a' } as const;
    // Two approvers at once: the same row but for its events.
    const approve = (principal_id: string): Promise<CommitOutcome> => {
      const approver = { principal_id, decision: 'approved', at: AT } as const;
      return writer.commit(changeOf(aRow(1, { status: 'running', version: 2, approver }), expected), null);
    };
    store.trouble = 'after';
    const settled = await Promise.allSettled([approve('bob'), approve('carol')]);
    const won = settled.map((result) => result.status === 'fulfilled' && result.value.result === 'committed');
    expect(store.rows.get(aRow(1).run_id)?.approver?.principal_id).toBe('bob');
    expect(won).toEqual([true, false]);
  });

  it.each([
    ['no outcomes', []],
    ['too few outcomes', [{ result: 'committed', evidence: null }]],
  ] as const)('that returns %s leaves no change waiting', async (_what, given) => {
    const { store, end } = scene();
    store.commit = async () => given;
    const settled = await Promise.allSettled([end(1), end(2)]);
    expect(settled.at(-1)).toMatchObject({ status: 'rejected', reason: { code: 'SVC-STORE-001' } });
  });

  it('that throws before it returns a promise is a failed write like any other', async () => {
    const { store, writer, end } = scene();
    store.commit = () => {
      throw new Error('closed');
    };
    await expect(end(1)).rejects.toMatchObject({ code: 'SVC-STORE-001' });
    expect(writer.writable).toBe(false);
  });
});
