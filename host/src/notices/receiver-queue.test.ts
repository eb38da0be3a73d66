import { LeaderLease } from '@svc/runtime';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { NoticeTarget } from '../config/index.ts';
import { NotAccepted } from './delivery.ts';
import { type Notice, occurrence } from './notice.ts';
import { ReceiverQueue } from './receiver-queue.ts';

const DAY_MS = 86_400_000;
const target: NoticeTarget = {
  name: 'hook',
  type: 'slack',
  on: ['paused'],
  url: 'https://hooks.example/',
  allow_private: false,
};

beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2026-11-27T10:00:00Z') }));
afterEach(() => void vi.useRealTimers());

/** A queue over a store in memory, with a receiver that fails as the test says. */
function scene() {
  const meta = new Map<string, string>();
  const given = {
    meta,
    sent: [] as Notice[],
    lines: [] as object[],
    counted: [] as string[],
    refuses: null as Error | null,
    storeFails: false,
    closed: 0,
  };
  const line = (fields: object): void => void given.lines.push(fields);
  const logger = { debug: line, info: line, warn: line, error: line };
  const store = {
    readMeta: async (key: string) => meta.get(key) ?? null,
    writeMeta: async (key: string, expected: string | null, value: string) => {
      if (given.storeFails) throw new Error('away');
      if ((meta.get(key) ?? null) !== expected) return false;
      meta.set(key, value);
      return true;
    },
  };
  const leases = {
    acquireLease: async (name: string, holder: string) => ({ name, holder, token: 1 }),
    releaseLease: async () => undefined,
  };
  const sender = {
    send: async (notice: Notice) => {
      if (given.refuses !== null) throw given.refuses;
      given.sent.push(notice);
    },
    close: async () => {
      given.closed += 1;
    },
  };
  const queue = new ReceiverQueue(
    target,
    { key: 'hook', named: { target: 'hook' }, sender },
    {
      store,
      leader: new LeaderLease(leases, 'this'),
      clock: { now: () => Date.now(), monotonic: () => Date.now() },
      logger,
      group_ms: 60_000,
      count: (_, outcome) => given.counted.push(outcome),
    },
  );
  queue.start();
  const pause = () => queue.add(occurrence('paused', { route: 'chat', name: 'policy', code: 'wire', run_id: 'run-1' }));
  pause();
  return Object.assign(given, { queue, pause });
}

it.each([0, 1, 250, 500, 999])('sends the first message within 4 seconds, %i ms after it last looked', async (offset) => {
  const given = scene();
  await vi.advanceTimersByTimeAsync(120_000 + offset);
  given.sent.length = 0;
  const since = Date.now();
  given.pause();
  await vi.advanceTimersByTimeAsync(4_000);
  expect(given.sent.map(({ at }) => at - since)).toEqual([expect.toSatisfy((ms: number) => ms >= 1_000 && ms <= 4_000)]);
});

it('drops a message that was not accepted for a day, and says so', async () => {
  const given = scene();
  given.refuses = new NotAccepted('HTTP_410');
  await vi.advanceTimersByTimeAsync(5_000);
  expect(given.lines).toContainEqual(expect.objectContaining({ event: 'notice_failed', target: 'hook', reason: 'HTTP_410' }));
  await vi.advanceTimersByTimeAsync(DAY_MS - 10_000);
  expect(given.counted).not.toContain('dropped');
  await vi.advanceTimersByTimeAsync(130_000);
  expect(given.counted.filter((outcome) => outcome === 'dropped')).toHaveLength(1);
  expect(given.lines.at(-1)).toEqual({ event: 'notice_dropped', target: 'hook', occurrences: 1 });
  expect(given.sent).toEqual([]);
});

it('waits as long as the receiver asks', async () => {
  const given = scene();
  given.refuses = new NotAccepted('HTTP_429', 600_000);
  await vi.advanceTimersByTimeAsync(5_000);
  given.refuses = null;
  await vi.advanceTimersByTimeAsync(590_000);
  expect(given.sent).toHaveLength(0);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(given.sent).toHaveLength(1);
});

it('loses nothing while the store is away, and logs that once', async () => {
  const given = scene();
  given.storeFails = true;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(given.lines).toEqual([{ event: 'notices_failed', target: 'hook', reason: 'Error' }]);
  given.storeFails = false;
  await vi.advanceTimersByTimeAsync(5_000);
  expect(given.sent.map(({ groups }) => groups)).toMatchObject([[{ event: 'paused', count: 1, run_ids: ['run-1'] }]]);
});

it('sends an accepted message once, also if the store cannot note that', async () => {
  const given = scene();
  const { push } = given.sent;
  given.sent.push = (...notices) => {
    given.storeFails = true;
    return push.apply(given.sent, notices);
  };
  await vi.advanceTimersByTimeAsync(60_000);
  expect(given.sent).toHaveLength(1);
  given.storeFails = false;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(given.sent).toHaveLength(1);
  expect(JSON.parse(given.meta.get('notices/hook') ?? '')).toMatchObject({ sending: null, groups: [] });
});

it('closes its sender even if the store fails at the end', async () => {
  const given = scene();
  given.storeFails = true;
  await expect(given.queue.close(1_000)).rejects.toThrow('away');
  expect(given.closed).toBe(1);
});

it.each(['{', '{}'])('logs once which target has a damaged outbox: %s', async (damaged) => {
  const given = scene();
  given.meta.set('notices/hook', damaged);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(given.lines).toEqual([
    { event: 'notices_failed', target: 'hook', reason: expect.stringMatching(/^(Syntax|Type)Error$/) },
  ]);
});
