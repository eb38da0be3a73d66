import { isLooser, type NewOperation, type Operation, type OperationalState, type StateTarget, SvcError } from '@svc/contracts';
import { canonicalJson, sha256 } from '@svc/ledger';
import type { OperationsLog } from '../operations-log/operations-log.ts';
import { Unchanged, unlessUnchanged } from '../operations-log/unchanged.ts';
import { endTime, type OperationalStates, type StateEntry } from './operational-states.ts';

/** A state change that an operator requests. */
export interface RequestedChange {
  readonly target: StateTarget;
  readonly state: OperationalState;
  readonly reason: string | null;
  /** Seconds after which the present state applies again. Null: never. */
  readonly for_s: number | null;
  readonly actor: Operation['actor'];
  /** Throws or rejects if the actor may no longer change states. Called when the change is recorded. */
  readonly assertStill?: () => unknown;
}

interface StateRules {
  /** Whether lifting a restriction takes two operators: one proposes it, and another makes the same request. */
  readonly two_person: boolean;
  /** Whether a principal may change states. A proposal no longer counts when its author may not. */
  readonly isOperator: (principal_id: string | null, target: StateTarget) => boolean;
}

/**
 * Changes a state, or proposes the change. If the state is already active, nothing is recorded.
 * @returns the record, or null if none was needed
 * @throws {SvcError} SVC-REQ-001, SVC-OPS-003, SVC-STORE-001
 */
export async function changeState(
  log: OperationsLog,
  states: OperationalStates,
  requested: RequestedChange,
  rules: StateRules,
): Promise<Operation | null> {
  return await unlessUnchanged(
    log.append(async () => {
      await requested.assertStill?.();
      return recordOf(states, requested, rules);
    }),
  );
}

/** @throws {SvcError} SVC-REQ-001, SVC-OPS-003; {@link Unchanged} */
function recordOf(
  states: OperationalStates,
  { target, state, reason, for_s, actor }: RequestedChange,
  { two_person, isOperator }: StateRules,
): NewOperation {
  const { kind, name } = target;
  const { current: lasting, proposed } = states.entry(target);
  const current = states.of(kind, name);
  const isTemporary = states.inForce(target)?.for_s != null;
  if (state === current && proposed === null && for_s === null && !isTemporary) throw new Unchanged();
  if (for_s !== null && reason === null)
    throw new SvcError('SVC-REQ-001', 'body/reason is missing: give a reason for a temporary state');
  if (for_s !== null && state === (lasting?.state ?? 'enabled') && !isTemporary)
    throw new SvcError(
      'SVC-OPS-003',
      `this ${kind} is already ${state} indefinitely, so a temporary change would have no effect`,
    );
  if (kind === 'guard' && state === 'disabled' && reason === null)
    throw new SvcError('SVC-REQ-001', 'body/reason is missing: give a reason for disabling a guard');
  if (kind === 'principal' && state === 'disabled' && name === actor.principal_id)
    throw new SvcError('SVC-OPS-003', 'you cannot disable your own principal, because you could not undo it');
  const change = { state, ...(for_s === null ? {} : { for_s }) };
  const record = { actor, target, reason, change, before: digestOf(current) };
  if (!two_person || !isLooserAtSomeTime(states, { target, state, for_s }))
    return { ...record, action: 'state.changed', after: digestOf(state) };
  const isOwn = proposed?.by === actor.principal_id;
  if (proposed?.state !== state || proposed.for_s !== for_s || !(isOwn || isOperator(proposed.by, target)))
    return { ...record, action: 'state.proposed', after: digestOf(current) };
  if (isOwn) throw new SvcError('SVC-OPS-003', 'you proposed this change: another operator must make the same request');
  return { ...record, action: 'state.changed', after: digestOf(state), change: { ...change, proposal: proposed.seq } };
}

/** Whether the requested state lets more through than the present one would, now or when a period ends. */
function isLooserAtSomeTime(
  states: OperationalStates,
  { target, state, for_s }: Pick<RequestedChange, 'target' | 'state' | 'for_s'>,
): boolean {
  const { current, temporary } = states.entry(target);
  const now = states.now();
  const end = for_s === null ? Number.POSITIVE_INFINITY : now + for_s * 1000;
  const lasting = current?.state ?? 'enabled';
  return [now, end, ...(temporary === null ? [] : [endTime(temporary)])]
    .filter((time) => time >= now && time < Number.POSITIVE_INFINITY)
    .some((time) => {
      const before = states.inForce(target, time)?.state ?? 'enabled';
      return isLooser(target.kind, before, time < end ? state : lasting);
    });
}

/**
 * Records the end of temporary states whose time is over, unless another process has done so.
 * @returns the records
 * @throws {SvcError} SVC-STORE-001
 */
export async function endTemporaryStates(log: OperationsLog, states: OperationalStates): Promise<Operation[]> {
  const records: (Operation | null)[] = [];
  for (const target of states.ended) records.push(await unlessUnchanged(log.append(() => endingOf(states, target))));
  return records.filter((record) => record !== null);
}

/** @throws {Unchanged} */
function endingOf(states: OperationalStates, { kind, name, temporary: over }: StateEntry): NewOperation {
  const { current, temporary } = states.entry({ kind, name });
  if (temporary === null || temporary.seq !== over?.seq) throw new Unchanged();
  const state = current?.state ?? 'enabled';
  return {
    action: 'state.changed',
    actor: { principal_id: null, issuer: null, subject: null },
    target: { kind, name },
    reason: null,
    change: { state, ended: temporary.seq },
    before: digestOf(temporary.state),
    after: digestOf(state),
  };
}

function digestOf(state: OperationalState): string {
  return sha256(canonicalJson({ state }));
}
