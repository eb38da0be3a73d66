import type { Operation } from '@svc/contracts';
import { expect, it } from 'vitest';
import { SharedStore } from '../gateway/test-store.ts';
import { OperationsLog } from '../records/operations-log/operations-log.ts';
import { CONTENT_KEYS } from '../records/operations-log/test-keys.ts';
import { handClock } from '../test-parts.ts';
import { delegate, endDelegation, endOverdueDelegations } from './change-delegations.ts';
import { Delegations } from './delegations.ts';

const actor = { principal_id: 'bob', issuer: null, subject: null };
const asked = { actor, to: 'dave', routes: null, reason: 'on leave', assertStill: () => undefined };
const silent = { warn: () => undefined };

/** A process. Processes with the same store see the same log. */
function process(store = new SharedStore(), clock = handClock()) {
  const delegations = new Delegations(clock);
  const log = new OperationsLog({ store, content_keys: CONTENT_KEYS, clock, logger: silent, apply: [delegations.apply] });
  return { store, clock, delegations, log };
}

it('is active in every process until its time, and its end is recorded once', async () => {
  const one = process();
  const other = process(one.store, one.clock);
  const { id } = await delegate({ ...asked, until: 1_000 }, one);
  await other.log.catchUp();
  expect(other.delegations.inForce).toEqual([
    {
      id,
      from: { principal_id: 'bob' },
      to: 'dave',
      routes: null,
      since: expect.any(String),
      until: expect.any(String),
      reason: 'on leave',
    },
  ]);
  one.clock.advance(1_000);
  expect([one.delegations.inForce, other.delegations.inForce]).toEqual([[], []]);
  const ends = await Promise.all([one, other].map(({ log, delegations }) => endOverdueDelegations(log, delegations)));
  expect(ends.flat()).toMatchObject([{ action: 'delegation.ended', actor: { principal_id: null }, target: { name: id } }]);
  const later = process(one.store);
  await later.log.catchUp();
  expect(later.delegations.inForce).toEqual([]);
});

it('does not come back when the clock steps back', async () => {
  const { log, delegations, clock } = process();
  await delegate({ ...asked, until: 1_000 }, { log, delegations, clock });
  clock.advance(1_000);
  expect(delegations.inForce).toEqual([]);
  clock.advance(-500);
  expect(delegations.inForce).toEqual([]);
});

it('can be ended early by those who may end it, and by no one else', async () => {
  const env = process();
  const { id } = await delegate({ ...asked, until: 1_000 }, env);
  const ending = { ...asked, mayEnd: () => false };
  await expect(endDelegation(id, ending, env)).rejects.toMatchObject({ code: 'SVC-APPR-001' });
  expect(await endDelegation(id, { ...ending, mayEnd: () => true }, env)).toMatchObject({ id, to: 'dave' });
  expect(env.delegations.inForce).toEqual([]);
  await expect(endDelegation(id, { ...ending, mayEnd: () => true }, env)).rejects.toMatchObject({ code: 'SVC-APPR-001' });
});

it.each([
  ['to oneself', { to: 'bob', until: 1_000 }],
  ['without an end', { until: Number.NaN }],
  ['that is over', { until: 0 }],
  ['that is too long', { until: 91 * 86_400_000 }],
])('is refused %s', async (_, more) => {
  const env = process();
  await expect(delegate({ ...asked, ...more }, env)).rejects.toMatchObject({ code: 'SVC-REQ-001' });
  expect(await env.log.head()).toBeNull();
});

it('is refused above a number', async () => {
  const env = process();
  for (let made = 0; made < 20; made += 1) await delegate({ ...asked, until: 1_000 }, env);
  await expect(delegate({ ...asked, until: 1_000 }, env)).rejects.toMatchObject({ code: 'SVC-REQ-001' });
  await delegate({ ...asked, actor: { ...actor, principal_id: 'carol' }, until: 1_000 }, env);
});

it.each([
  ['an unknown form', { action: 'delegation.created', change: { to: 'dave' } }],
  ['an end without a beginning', { action: 'delegation.ended', change: {} }],
])('delegates nothing by %s, and reports it', (_, more) => {
  const delegations = new Delegations();
  const record = { actor, target: { kind: 'delegation', name: 'd-1' }, at: '', reason: null, ...more };
  expect(delegations.apply(record as unknown as Operation)).toBe(false);
  expect(delegations.inForce).toEqual([]);
});
