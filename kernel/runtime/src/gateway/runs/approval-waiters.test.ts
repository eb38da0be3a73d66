import type { RunStatus } from '@svc/contracts';
import type { RunOutcome } from '@svc/kernel';
import { CHAT } from '@svc/protocols';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SharedStore } from '../test-store.ts';
import { ApprovalWaiters } from './approval-waiters.ts';
import { testEnv } from './test-env.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const [A, B, C] = [1, 2, 3].map((n) => `00000000-0000-7000-8000-00000000000${n}`) as [string, string, string];
const A_DAY = 24 * 3_600_000;
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** Waiting callers, and a store that answers when the test allows it. */
function scene() {
  const store = new SharedStore();
  const looks: { readonly asked: readonly string[]; readonly answer: () => Promise<void> }[] = [];
  const statuses = (asked: readonly string[]) =>
    new Promise((resolve) => {
      const found = (): Map<string, RunStatus> => new Map([...store.rows].map(([run_id, { status }]) => [run_id, status]));
      looks.push({
        asked,
        answer: async () => {
          resolve(found());
          await pass(0);
        },
      });
    });
  const waiters = new ApprovalWaiters(testEnv(Object.assign(store, { statuses })));
  const paused = (run_id: string): RunOutcome => ({ row: rowOf(run_id, 'paused'), ...REST });
  const put = (run_id: string, status: RunStatus): void => void store.rows.set(run_id, rowOf(run_id, status));
  return { waiters, looks, paused, put };
}

const REST = {
  events: [],
  protocol: CHAT,
  completion: null,
  stop: null,
  tail: null,
  error: null,
  paid: false,
  cost: 'complete' as const,
};

function rowOf(run_id: string, status: RunStatus): RunOutcome['row'] {
  return {
    run_id,
    route: 'default',
    principal_id: 'alice',
    status,
    created_at: '2026-01-01T00:00:00.000Z',
    version: 1,
    owner: 'another',
    config_digest: '',
    approvers: [],
    approver: null,
    expires_at: null,
    events: [],
    evidence: null,
  };
}

it('asks the store once for all waiters, never twice at once, and not at all without waiters', async () => {
  const { waiters, looks, paused, put } = scene();
  await pass(10_000);
  expect(looks).toHaveLength(0);
  const waiting = [A, B, C].map((run_id) => {
    put(run_id, 'paused');
    return waiters.wait(paused(run_id), A_DAY, undefined);
  });
  await pass(1000);
  expect(looks.map(({ asked }) => asked)).toEqual([[A, B, C]]);
  // There is only one read at a time, however slow the store is.
  await pass(60_000);
  expect(looks).toHaveLength(1);
  put(B, 'denied');
  await looks[0]?.answer();
  expect((await waiting[1])?.row.status).toBe('denied');
  await pass(1000);
  expect(looks.map(({ asked }) => asked)).toEqual([
    [A, B, C],
    [A, C],
  ]);
  put(A, 'completed');
  put(C, 'completed');
  await looks[1]?.answer();
  await Promise.all(waiting);
  await pass(60_000);
  expect(looks).toHaveLength(2);
});

it('finds a waiter that arrives after a time without waiters', async () => {
  const { waiters, looks, paused, put } = scene();
  const gone = new AbortController();
  const first = waiters.wait(paused(A), A_DAY, gone.signal);
  gone.abort();
  expect((await first).row.status).toBe('paused');
  await pass(60_000);
  expect(looks).toHaveLength(0);
  put(B, 'completed');
  const second = waiters.wait(paused(B), A_DAY, undefined);
  await pass(1000);
  await looks[0]?.answer();
  expect((await second).row.status).toBe('completed');
});
