import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { troubledScene } from './test-scene.ts';

const START = Date.parse('2026-11-27T10:00:00Z');
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: START }));
afterEach(() => void vi.useRealTimers());

function scene(options: Parameters<typeof troubledScene>[0]) {
  const made = troubledScene(options);
  Object.assign(made.store, { readMeta: async (key: string) => (key === 'ledger/id' ? 'svc-ledger-1' : null) });
  return made;
}

it('lists the copies on which the approver may decide, and no copy of their own', async () => {
  const { runs, start } = scene({ self_approval: false });
  const person = { issuer: 'https://login.example', subject: '1' };
  const one = (await start('wait')).row;
  const own = (await start('wait', { identity: person })).row;
  const two = (await start('wait')).row;
  expect([own.pause_keys, two.pause_keys]).toEqual([one.pause_keys, one.pause_keys]);
  const copies = async (subject: string) => {
    const made = { decision: 'approved', digest: null, identity: { ...person, subject } } as const;
    const { statement } = await runs.stored.statement(one.run_id, 'alison', made);
    return statement.copies.map(({ run_id }) => run_id);
  };
  expect(await copies('1')).toEqual([two.run_id]);
  expect(await copies('2')).toEqual([own.run_id, two.run_id].sort());
});

it('lists a copy for an escalated approver from the time of its own escalation', async () => {
  const { runs, start } = scene({ escalate: { after_ms: 20_000, approvers: ['carol'] } });
  const one = (await start('wait', { approvers: ['bob'] })).row;
  vi.setSystemTime(START + 15_000);
  const late = (await start('wait', { approvers: ['bob'] })).row;
  const copies = async (principal_id: string) =>
    (await runs.stored.statement(one.run_id, principal_id, { decision: 'approved', digest: null })).statement.copies.map(
      ({ run_id }) => run_id,
    );
  vi.setSystemTime(START + 21_000);
  expect(await copies('bob')).toEqual([late.run_id]);
  expect(await copies('carol')).toEqual([]);
  vi.setSystemTime(START + 36_000);
  expect(await copies('carol')).toEqual([late.run_id]);
});
