import { type RunRow, runEvent, stateEvent } from '@svc/contracts';
import type { Gateway } from '@svc/runtime';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { NoticeTarget } from '../config/index.ts';
import { Notices } from './notices.ts';
import { away, memoryStore } from './test-store.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const target: NoticeTarget = { name: 'one', type: 'slack', on: ['paused'], url: 'https://hooks.example/', allow_private: false };
const paused = {
  status: 'paused',
  route: 'chat',
  run_id: 'run-1',
  events: [
    stateEvent('approval', 'digest', null, 'running', 'paused'),
    runEvent('paused', 'ingress', 'policy', { code: 'wire', digest: 'd', route_digest: 'r' }),
  ],
} as unknown as RunRow;

function started(store: object, targets: NoticeTarget[]): Notices {
  const line = (): void => undefined;
  const settings = { public_url: 'https://svc.example.org', group_ms: 1, budget_percent: 80, exporter_lag_records: 1, targets };
  const notices = new Notices(settings, {
    directory: '.',
    store: store as never,
    logger: { debug: line, info: line, warn: line, error: line },
    clock: { now: () => Date.now(), monotonic: () => Date.now() },
    count: line,
  });
  notices.start({} as Gateway);
  return notices;
}

it('keeps an escalation for the targets that report it', async () => {
  const { store, meta } = memoryStore();
  const notices = started(store, [target, { ...target, name: 'further', on: ['escalated'] }]);
  const escalated = runEvent('escalated', 'approval', 'policy', { approvers: ['carol'], at: '', digest: 'd' });
  notices.escalated({ ...paused, events: [...paused.events, escalated] });
  await vi.advanceTimersByTimeAsync(1_500);
  expect([...meta.keys()]).toEqual(['notices/further']);
  expect(JSON.parse(meta.get('notices/further') ?? '').groups).toMatchObject([{ event: 'escalated', run_ids: ['run-1'] }]);
  await notices.close();
});

it('releases its leases even if the store fails at the end', async () => {
  const { store, holders, meta } = memoryStore();
  const notices = started(store, [target, { ...target, name: 'other' }]);
  notices.status(paused);
  await vi.advanceTimersByTimeAsync(1_500);
  expect([...meta.keys()]).toEqual(['notices/one', 'notices/other']);
  store.writeMeta = away;
  await vi.advanceTimersByTimeAsync(5_000);
  expect([...holders.keys()]).toEqual(['notices/one', 'notices/other']);
  notices.status(paused);
  await expect(notices.close()).rejects.toThrow('away');
  expect([...holders]).toEqual([]);
});
