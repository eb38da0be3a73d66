import { isLooser, type NewOperation, type Operation, type OperationalState, type StateTarget, SvcError } from '@svc/contracts';
import { canonicalJson, sha256 } from '@svc/ledger';
import type { OperationsLog } from '../operations-log/operations-log.ts';
import type { OperationalStates } from './operational-states.ts';

/** A change of a state, as requested by an operator. */
export interface AskedChange {
  readonly target: StateTarget;
  readonly state: OperationalState;
  readonly reason: string | null;
  readonly actor: Operation['actor'];
  /** Throws or rejects if the actor may no longer change states. Called when the change is recorded. */
  readonly assertStill?: () => unknown;
}

interface StateRules {
  /** Whether a loosening takes two operators: one proposes it, another requests the same. */
  readonly two_person: boolean;
  /** Whether a principal may change states. A proposal does not count once its author may not. */
  readonly isOperator: (principal_id: string | null, target: StateTarget) => boolean;
}

/** There is nothing to write. */
class Unchanged extends Error {}

/**
 * Changes a state, or proposes the change. If the state is in force already, no record is written.
 * @returns the record; null: none was needed
 * @throws {SvcError} SVC-REQ-001, SVC-OPS-003, SVC-STORE-001
 */
export async function changeState(
  log: OperationsLog,
  states: OperationalStates,
  asked: AskedChange,
  rules: StateRules,
): Promise<Operation | null> {
  try {
    return await log.append(async () => {
      await asked.assertStill?.();
      return recordOf(states, asked, rules);
    });
  } catch (error) {
    if (error instanceof Unchanged) return null;
    throw error;
  }
}

/** @throws {SvcError} SVC-REQ-001, SVC-OPS-003; {@link Unchanged} */
function recordOf(
  states: OperationalStates,
  { target, state, reason, actor }: AskedChange,
  { two_person, isOperator }: StateRules,
): NewOperation {
  const { kind, name } = target;
  const { proposed } = states.entry(target);
  const current = states.of(kind, name);
  if (state === current && proposed === null) throw new Unchanged();
  if (kind === 'guard' && state === 'disabled' && reason === null)
    throw new SvcError('SVC-REQ-001', 'body/reason is missing: give a reason for disabling a guard');
  if (kind === 'principal' && state === 'disabled' && name === actor.principal_id)
    throw new SvcError('SVC-OPS-003', 'you cannot disable your own principal, because you could not undo it');
  const record = { actor, target, reason, change: { state }, before: digestOf(current) };
  if (!two_person || !isLooser(kind, current, state)) return { ...record, action: 'state.changed', after: digestOf(state) };
  const isOwn = proposed?.by === actor.principal_id;
  if (proposed?.state !== state || !(isOwn || isOperator(proposed.by, target)))
    return { ...record, action: 'state.proposed', after: digestOf(current) };
  if (isOwn) throw new SvcError('SVC-OPS-003', 'you proposed this change: another operator must make the same request');
  return { ...record, action: 'state.changed', after: digestOf(state), change: { state, proposal: proposed.seq } };
}

function digestOf(state: OperationalState): string {
  return sha256(canonicalJson({ state }));
}
