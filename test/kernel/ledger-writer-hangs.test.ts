import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CommitOutcome, Logger, RunRow } from '@svc/contracts';
import { evidenceOf, verifyLedger } from '@svc/ledger';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { noopObserver, safeObserver } from '../../kernel/kernel/src/observing/observer.ts';
import { LedgerWriter } from '../../kernel/kernel/src/runs/ledger-writer.ts';
import { TroubledStore } from '../../kernel/runtime/src/records/ledger/test-store.ts';

const AT = '2026-01-05T09:00:00.000Z';
const REFUSED = { code: 'SVC-STORE-001', status: 503 };

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => void vi.useRealTimers());

function rowOf(n: number): RunRow {
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
  };
}

/** A store that has taken a commit and does not answer until it is released. */
function scene() {
  const store = new TroubledStore();
  const gate = Promise.withResolvers<void>();
  store.gate = gate.promise;
  const lines: object[] = [];
  const log = (fields: object): void => void lines.push(fields);
  const logger: Logger = { debug: log, info: log, warn: log, error: log };
  const clock = { now: () => Date.now(), monotonic: () => Date.now() };
  let outages = 0;
  const afterOutage = (): void => {
    outages += 1;
  };
  const writer = new LedgerWriter(store, { clock, logger, observer: safeObserver(noopObserver), afterOutage });
  const end = (n: number): Promise<CommitOutcome> => {
    const change = { run: rowOf(n), expect: null, put_content: [], drop_content: [], settlements: [] };
    return writer.commit(change, evidenceOf(rowOf(n), null, AT));
  };
  const begun = async (groups: number): Promise<void> => {
    while (store.groups.length < groups) await nextTurn();
  };
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  return { store, writer, end, begun, pass, lines, outages: () => outages, release: () => gate.resolve() };
}

it('a hanging write gets an answer after five seconds, and is one record if it succeeds later', async () => {
  const { store, writer, end, begun, pass, lines, outages, release } = scene();
  const hanging = end(1);
  hanging.catch(() => undefined);
  await begun(1);
  await pass(1_000);
  expect(writer.hangs).toBe(false);
  await pass(1_000);
  expect(writer.hangs).toBe(true);
  // What comes meanwhile waits as long as the first one, and is never written.
  const behind = end(2);
  behind.catch(() => undefined);
  const asked = writer.assertWritable();
  asked.catch(() => undefined);
  await pass(2_999);
  expect(writer.writable).toBe(true);
  await pass(1);
  for (const refused of [hanging, behind, asked]) await expect(refused).rejects.toMatchObject(REFUSED);
  expect(writer.writable).toBe(false);
  expect(lines).toEqual([{ event: 'commit_failed', changes: 1, reason: 'CommitTimeout' }]);
  // From here on nobody waits for it.
  await expect(writer.assertWritable()).rejects.toMatchObject(REFUSED);

  release();
  await writer.drain();
  expect([writer.hangs, writer.writable, outages()]).toEqual([false, true, 1]);
  expect([...store.rows.keys()]).toEqual([rowOf(1).run_id]);
  expect((await end(3)).result).toBe('committed');
  expect(await verifyLedger(store.ledger.map(({ bytes }) => bytes))).toMatchObject({ records: 2, fault: null });
});

it('a write that hung and failed is not tried again for a caller who has gone', async () => {
  const { store, end, begun, pass, release, writer } = scene();
  const hanging = [end(1), end(2)];
  for (const one of hanging) one.catch(() => undefined);
  await begun(1);
  await pass(5_000);
  store.trouble = 'before';
  release();
  await writer.drain();
  expect(store.groups).toEqual([2]);
  expect(store.rows.size).toBe(0);
});

it('a run that begins during a slow write waits for it, and is admitted when it succeeds', async () => {
  const { writer, end, begun, pass, release } = scene();
  const slow = end(1);
  await begun(1);
  await pass(300);
  let isIn = false;
  const asked = writer.assertWritable().then(() => {
    isIn = true;
  });
  await pass(1_000);
  expect(isIn).toBe(false);
  release();
  await Promise.all([slow, asked]);
  expect(isIn).toBe(true);
});

it('a hanging test write delays no caller for more than two seconds', async () => {
  const { store, writer, end, pass, begun } = scene();
  store.gate = Promise.resolve();
  store.trouble = 'before';
  await expect(end(1)).rejects.toMatchObject(REFUSED);
  store.gate = new Promise(() => undefined);
  const asked = writer.assertWritable();
  asked.catch(() => undefined);
  await begun(2);
  await pass(2_000);
  await expect(asked).rejects.toMatchObject(REFUSED);
});
