import {
  type EventData,
  OPERATIONAL_STATES,
  type Operation,
  type OperationalState,
  runEvent,
  type StatefulKind,
} from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { SharedStore } from '../../gateway/test-store.ts';
import { ENV, handClock } from '../../test-parts.ts';
import { OperationsLog } from '../operations-log/operations-log.ts';
import { CONTENT_KEYS } from '../operations-log/test-keys.ts';
import { changeState, endTemporaryStates, type RequestedChange } from './change-state.ts';
import { OperationalStates } from './operational-states.ts';

/** A process with a store. */
function open({ store = new SharedStore(), clock = handClock(), two_person = false, gone = [] as string[] } = {}) {
  const isOperator = (principal_id: string | null) => !gone.includes(principal_id ?? '');
  const states = new OperationalStates(clock);
  const log = new OperationsLog({
    store,
    clock,
    content_keys: CONTENT_KEYS,
    logger: ENV.logger,
    apply: [states.apply],
  });
  const set = (kind: StatefulKind, name: string, state: OperationalState, by = 'ada', more: Partial<RequestedChange> = {}) => {
    const actor = { principal_id: by, issuer: null, subject: null };
    return changeState(
      log,
      states,
      { target: { kind, name }, state, reason: 'tried', for_s: null, actor, ...more },
      { two_person, isOperator },
    );
  };
  return { store, clock, states, log, set, end: () => endTemporaryStates(log, states) };
}

const RUN = { route: { name: 'chat' }, principal_id: 'alice', calling: 'openai' };
const NODE = { name: 'pii', required: false, package: '@test/guard', version: '1.0.0' };

describe('approval_required', () => {
  const judged = (of: string) =>
    runEvent('verdict', 'execute', 'operator', { package: of, verdict: 'require_approval', code: 'c' } as EventData<'verdict'>);
  const decided = (decision: 'approved' | 'denied') =>
    runEvent('decision', 'approval', 'operator', { decision } as EventData<'decision'>);

  it.each([
    ['nobody was asked', [], true],
    ['the operator has let it pass', [judged('@svc/kernel'), decided('approved')], false],
    ['a pack that is called operator has', [judged('@test/guard'), decided('approved')], true],
    ['both have', [judged('@test/guard'), decided('approved'), judged('@svc/kernel'), decided('approved')], false],
    ['the operator has not', [judged('@svc/kernel'), decided('denied')], true],
  ])('requires approval for a run that continues if %s: %j', async (_, events, isAsked) => {
    const { states, set } = open();
    expect(states.asksApproval({ route: { name: 'chat' }, events }, true)).toBe(false);
    await set('route', 'chat', 'approval_required');
    expect(states.asksApproval({ route: { name: 'chat' }, events }, true)).toBe(isAsked);
    expect(states.asksApproval({ route: { name: 'chat' }, events }, false)).toBe(true);
  });
});

describe('the fold', () => {
  it('is the same in every process, and in one that starts later', async () => {
    const one = open();
    const other = open({ store: one.store });
    await one.set('route', 'chat', 'disabled');
    await other.set('provider', 'openai', 'disabled');
    await other.set('route', 'chat', 'read_only', 'bob');
    await one.log.catchUp();
    const later = open({ store: one.store });
    await later.log.catchUp();
    expect(one.states.changed.map(({ kind, name, current }) => [kind, name, current?.state, current?.by])).toEqual([
      ['route', 'chat', 'read_only', 'bob'],
      ['provider', 'openai', 'disabled', 'ada'],
    ]);
    expect(other.states.changed).toEqual(one.states.changed);
    expect(later.states.changed).toEqual(one.states.changed);
  });

  it('does not list targets that are enabled again', async () => {
    const { states, set } = open();
    await set('route', 'chat', 'disabled');
    await set('route', 'chat', 'enabled');
    expect([states.changed, states.of('route', 'chat')]).toEqual([[], 'enabled']);
  });

  it.each([[{ target: { kind: 'planet', name: 'mars' } }], [{ action: 'state.proposed', change: { state: 'frozen' } }]] as const)(
    'skips and reports unknown records: %j',
    async (changes) => {
      const { states, set } = open();
      const record = await set('route', 'chat', 'disabled');
      const later = new OperationalStates();
      expect(later.apply({ ...(record as Operation), ...changes })).toBe(false);
      expect([later.changed, states.changed.length]).toEqual([[], 1]);
    },
  );

  it('ignores records of other kinds', async () => {
    const record = await open().set('route', 'chat', 'disabled');
    const later = new OperationalStates();
    expect(later.apply({ ...(record as Operation), action: 'key.created' })).toBe(true);
    expect(later.changed).toEqual([]);
  });

  it.each([
    ['route', { state: 'frozen' }],
    ['route', {}],
    ['provider', { state: 'read_only' }],
    ['guard', { state: 'frozen' }],
    ['principal', { state: 'frozen' }],
  ] as const)('treats an unknown state of a %s as the strictest: %j', async (kind, change) => {
    const record = await open().set('route', 'chat', 'disabled');
    const { states, set } = open();
    await set(kind, 'it', OPERATIONAL_STATES[kind][0]);
    expect(states.apply({ ...(record as Operation), target: { kind, name: 'it' }, change })).toBe(false);
    expect(states.of(kind, 'it')).toBe(OPERATIONAL_STATES[kind].at(-1));
  });
});

describe('a state that stops a run', () => {
  it.each([
    ['route', 'chat', 'route_disabled', 'SVC-OPS-001'],
    ['provider', 'openai', 'provider_disabled', 'SVC-OPS-001'],
    ['principal', 'alice', 'principal_disabled', 'SVC-OPS-002'],
  ] as const)('a disabled %s', async (kind, name, code, error) => {
    const { states, set } = open();
    expect(states.stopOf(RUN)).toBeNull();
    const record = await set(kind, name, 'disabled');
    expect(states.stopOf(RUN)).toMatchObject({ kind: 'stopped', code, operation: record?.seq, error: { code: error } });
    expect(() => states.assertBegins(RUN)).toThrow(error);
    expect(() => states.assertMayContinue(RUN)).toThrow(error);
    expect(states.stopOf({ route: { name: 'other' }, principal_id: 'bob', calling: null })).toBeNull();
  });

  it('does not stop a run that waits for a provider that has not been called yet', async () => {
    const { states, set } = open();
    await set('provider', 'openai', 'disabled');
    expect(states.stopOf({ ...RUN, calling: null })).toBeNull();
  });

  it('read_only refuses new runs, and others continue', async () => {
    const { states, set } = open();
    await set('route', 'chat', 'read_only');
    expect(() => states.assertBegins(RUN)).toThrow('SVC-OPS-001');
    expect(states.stopOf(RUN)).toBeNull();
  });
});

describe('a disabled guard', () => {
  it('is skipped, and the event names the operation that disabled it', async () => {
    const { states, set } = open();
    expect(states.guardStop(NODE)).toBeNull();
    const record = await set('guard', 'pii', 'disabled');
    expect(states.guardStop(NODE)).toBe(record?.seq);
  });

  it('that is required is still called', async () => {
    const { states, set } = open();
    await set('guard', 'pii', 'disabled');
    expect(states.guardStop({ ...NODE, required: true })).toBeNull();
  });
});

describe('a change', () => {
  it('that changes nothing leaves no record', async () => {
    const { set, log } = open();
    expect(await set('route', 'chat', 'enabled')).toBeNull();
    await set('route', 'chat', 'disabled');
    expect(await set('route', 'chat', 'disabled', 'bob')).toBeNull();
    expect(await log.records.records({ since_seq: 0, limit: 10 })).toHaveLength(1);
  });

  it('records the earlier and the new state, by digests', async () => {
    const { set } = open();
    const first = await set('route', 'chat', 'disabled');
    const second = await set('route', 'chat', 'enabled');
    expect(first).toMatchObject({ action: 'state.changed', change: { state: 'disabled' }, reason: 'tried' });
    expect([second?.before, second?.after]).toEqual([first?.after, first?.before]);
    expect(first?.after).not.toBe(first?.before);
  });

  it('that disables a guard needs a reason', async () => {
    const { set, states } = open();
    await expect(set('guard', 'pii', 'disabled', 'ada', { reason: null })).rejects.toMatchObject({ code: 'SVC-REQ-001' });
    expect(states.changed).toEqual([]);
  });

  it('by a person who has lost the right leaves no record', async () => {
    const { log, states } = open();
    const actor = { principal_id: 'ada', issuer: null, subject: null };
    const assertStill = () => {
      throw new Error('revoked');
    };
    const asked = {
      target: { kind: 'route', name: 'chat' },
      state: 'disabled',
      reason: null,
      for_s: null,
      actor,
      assertStill,
    } as const;
    await expect(changeState(log, states, asked, { two_person: false, isOperator: () => true })).rejects.toThrow('revoked');
    expect([states.changed, await log.head()]).toEqual([[], null]);
  });

  it('that would disable its own author is refused', async () => {
    await expect(open().set('principal', 'ada', 'disabled')).rejects.toMatchObject({ code: 'SVC-OPS-003' });
  });
});

describe('a state that expires', () => {
  const HOUR = { for_s: 3600 };

  it('ends by the clock, in every process, before its end is recorded', async () => {
    const { clock, store, states, set } = open();
    await set('route', 'chat', 'read_only');
    await set('route', 'chat', 'disabled', 'ada', HOUR);
    clock.advance(3_599_999);
    expect(states.of('route', 'chat')).toBe('disabled');
    clock.advance(1);
    const later = open({ clock, store });
    await later.log.catchUp();
    for (const one of [states, later.states]) expect([one.of('route', 'chat'), one.stopOf(RUN)]).toEqual(['read_only', null]);
  });

  it('stays ended in a process that has seen its end, even if the clock steps back', async () => {
    const { clock, states, set, end } = open();
    await set('route', 'chat', 'disabled');
    await set('route', 'chat', 'enabled', 'ada', HOUR);
    clock.advance(3_600_000);
    expect(states.of('route', 'chat')).toBe('disabled');
    clock.advance(-60_000);
    expect(states.of('route', 'chat')).toBe('disabled');
    expect(await end()).toMatchObject([{ change: { state: 'disabled', ended: 2 } }]);
  });

  it('is recorded once when it ends, in any number of processes', async () => {
    const one = open();
    const other = open({ clock: one.clock, store: one.store });
    const begun = await one.set('guard', 'pii', 'disabled', 'ada', HOUR);
    await other.log.catchUp();
    await Promise.all([one.end(), other.end()]);
    expect(await one.log.records.records({ since_seq: 1, limit: 10 })).toEqual([]);
    one.clock.advance(3_600_000);
    await Promise.all([one.end(), other.end()]);
    const [record, ...more] = (await one.log.records.records({ since_seq: 1, limit: 10 })).map(({ bytes }) => JSON.parse(bytes));
    expect(more).toEqual([]);
    expect(record).toMatchObject({
      action: 'state.changed',
      actor: { principal_id: null },
      change: { state: 'enabled', ended: 1 },
      before: begun?.after,
      after: begun?.before,
    });
    for (const { states } of [one, other])
      expect([states.of('guard', 'pii'), states.ended, states.changed]).toEqual(['enabled', [], []]);
  });

  it('that follows another one replaces it, and ends in the state that does not expire', async () => {
    const { clock, states, set, end } = open();
    await set('route', 'chat', 'disabled', 'ada', HOUR);
    await set('route', 'chat', 'read_only', 'ada', { for_s: 7200 });
    clock.advance(3_600_000);
    await end();
    expect(states.of('route', 'chat')).toBe('read_only');
    clock.advance(3_600_000);
    expect(states.of('route', 'chat')).toBe('enabled');
  });

  it('is replaced by a change that does not expire', async () => {
    const { clock, states, set } = open();
    await set('route', 'chat', 'disabled', 'ada', HOUR);
    await set('route', 'chat', 'disabled');
    clock.advance(3_600_000);
    expect([states.of('route', 'chat'), states.ended]).toEqual(['disabled', []]);
  });

  it.each([
    ['needs a reason', { for_s: 60, reason: null }, 'SVC-REQ-001'],
    ['cannot be the active one without an end', { for_s: 60 }, 'SVC-OPS-003'],
  ])('%s', async (_, more, code) => {
    const { set } = open();
    await set('route', 'chat', 'disabled');
    await expect(set('route', 'chat', 'disabled', 'ada', more)).rejects.toMatchObject({ code });
  });

  it('with a length that is not a number counts as the strictest', async () => {
    const record = await open().set('guard', 'pii', 'disabled');
    const { states } = open();
    expect(states.apply({ ...(record as Operation), change: { state: 'disabled', for_s: 'ever' } })).toBe(false);
    expect(states.of('guard', 'pii')).toBe('enabled');
  });

  it.each([
    ['a guard is disabled for a time', 'guard', null, ['disabled', 60], true],
    ['a route is stopped for a time', 'route', null, ['disabled', 60], false],
    ['a stop is shortened', 'route', ['disabled', 3600], ['disabled', 60], true],
    ['a stop is prolonged', 'route', ['disabled', 60], ['disabled', 3600], false],
    ['a stop becomes permanent', 'route', ['disabled', 60], ['disabled', null], false],
    ['a stop for a time becomes milder', 'route', ['disabled', 3600], ['read_only', 3600], true],
    ['a disabled guard is enabled early', 'guard', ['disabled', 3600], ['enabled', null], false],
    ['a guard is disabled for longer', 'guard', ['disabled', 60], ['disabled', 3600], true],
    ['a guard disabled for a time stays disabled', 'guard', ['disabled', 60], ['disabled', null], true],
  ] as const)('needs two operators if it lifts a restriction at any time: %s', async (_, kind, first, second, isProposed) => {
    const { set } = open({ two_person: true });
    if (first !== null)
      for (const by of ['ada', 'bob']) await set(kind, 'it', first[0], by, { for_s: first[1] }).catch(() => null);
    const record = await set(kind, 'it', second[0], 'ada', { for_s: second[1] });
    expect(record?.action).toBe(isProposed ? 'state.proposed' : 'state.changed');
  });

  it('is confirmed only by the same state for the same time', async () => {
    const { set } = open({ two_person: true });
    await set('guard', 'pii', 'disabled', 'ada', HOUR);
    expect(await set('guard', 'pii', 'disabled', 'bob')).toMatchObject({ action: 'state.proposed' });
    expect(await set('guard', 'pii', 'disabled', 'ada')).toMatchObject({
      action: 'state.changed',
      change: { state: 'disabled' },
    });
  });
});

describe('with two operators', () => {
  it('a proposal by a former operator does not count', async () => {
    const gone: string[] = [];
    const { states, set } = open({ two_person: true, gone });
    await set('route', 'chat', 'disabled');
    await set('route', 'chat', 'enabled', 'bob');
    gone.push('bob');
    expect(await set('route', 'chat', 'enabled')).toMatchObject({ action: 'state.proposed' });
    await expect(set('route', 'chat', 'enabled')).rejects.toMatchObject({ code: 'SVC-OPS-003' });
    expect(states.of('route', 'chat')).toBe('disabled');
    expect(await set('route', 'chat', 'enabled', 'carol')).toMatchObject({ action: 'state.changed' });
  });

  const loosening = (Object.keys(OPERATIONAL_STATES) as StatefulKind[]).flatMap((kind) => {
    const states: readonly OperationalState[] = OPERATIONAL_STATES[kind];
    return states.flatMap((to, index) => states.slice(index + 1).map((from) => [kind, from, to] as const));
  });

  it.each(loosening)('a %s goes from %s to %s when another asks for the same', async (kind, from, to) => {
    const { states, set } = open({ two_person: true });
    // A stricter state takes only one operator.
    if (from !== 'enabled') expect(await set(kind, 'it', from)).toMatchObject({ action: 'state.changed' });
    expect(await set(kind, 'it', to)).toMatchObject({ action: 'state.proposed' });
    expect([states.of(kind, 'it'), states.entry({ kind, name: 'it' }).proposed?.state]).toEqual([from, to]);
    await expect(set(kind, 'it', to)).rejects.toMatchObject({ code: 'SVC-OPS-003' });
    const confirmed = await set(kind, 'it', to, 'bob');
    expect(confirmed).toMatchObject({ action: 'state.changed', change: { state: to } });
    expect([states.of(kind, 'it'), states.entry({ kind, name: 'it' }).proposed]).toEqual([to, null]);
  });

  it('asking for the present state withdraws the proposal', async () => {
    const { states, set } = open({ two_person: true });
    await set('route', 'chat', 'disabled');
    await set('route', 'chat', 'enabled');
    await set('route', 'chat', 'disabled', 'bob');
    expect(states.entry({ kind: 'route', name: 'chat' }).proposed).toBeNull();
    expect(await set('route', 'chat', 'enabled', 'bob')).toMatchObject({ action: 'state.proposed' });
  });

  it('a proposal ends with its proposer, and does not return with the proposer', async () => {
    const { states, set, store } = open({ two_person: true });
    await set('route', 'chat', 'disabled');
    await set('route', 'chat', 'enabled');
    await set('principal', 'ada', 'disabled', 'bob');
    expect(states.entry({ kind: 'route', name: 'chat' }).proposed).toBeNull();
    expect(await set('route', 'chat', 'enabled', 'bob')).toMatchObject({ action: 'state.proposed' });
    expect(states.of('route', 'chat')).toBe('disabled');
    await set('principal', 'ada', 'enabled', 'bob');
    await set('principal', 'ada', 'enabled', 'carol');
    const later = open({ store });
    await later.log.catchUp();
    expect(later.states.entry({ kind: 'route', name: 'chat' }).proposed?.by).toBe('bob');
    expect(later.states.changed).toEqual(states.changed);
  });

  it('of two operators who propose different states, neither confirms the other', async () => {
    const { states, set } = open({ two_person: true });
    await set('route', 'chat', 'disabled');
    await set('route', 'chat', 'enabled', 'ada');
    expect(await set('route', 'chat', 'read_only', 'bob')).toMatchObject({ action: 'state.proposed' });
    expect(states.of('route', 'chat')).toBe('disabled');
  });

  it('in two processes at once, one proposes and the other confirms', async () => {
    const one = open({ two_person: true });
    const other = open({ store: one.store, two_person: true });
    await one.set('route', 'chat', 'disabled');
    const records = await Promise.all([one.set('route', 'chat', 'enabled', 'ada'), other.set('route', 'chat', 'enabled', 'bob')]);
    expect(records.map((record) => record?.action).toSorted()).toEqual(['state.changed', 'state.proposed']);
    expect(records.find((record) => record?.action === 'state.changed')?.change).toMatchObject({ proposal: 2 });
  });
});
