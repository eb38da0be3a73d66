import {
  type Clock,
  hasState,
  isStatefulKind,
  type OperationalState,
  type RequestedState,
  type RunEvent,
  STRICTEST,
  type StatefulKind,
  type StateTarget,
  SvcError,
} from '@svc/contracts';
import { OperatorStop } from '@svc/kernel';
import type { RunPolicy } from '@svc/kernel/ports';
import type { ApplyOperation } from '../operations-log/operations-log.ts';

/** A pack may also have the name `operator`. The verdict that paused the run shows which one is meant. */
function isOperatorApproval({ event_type, node, data }: RunEvent, index: number, events: readonly RunEvent[]): boolean {
  if (event_type !== 'decision' && event_type !== 'reused') return false;
  if (node !== 'operator' || data.decision !== 'approved') return false;
  const verdict = events.slice(0, index).findLast((event) => event.event_type === 'verdict' && event.node === 'operator');
  return verdict?.event_type === 'verdict' && verdict.data.package === '@svc/kernel';
}

/** A target for which the log has a record. */
export interface StateEntry extends StateTarget {
  /** Null: nobody has changed it yet. */
  readonly current: RequestedState | null;
  /** A state that applies instead of `current` until its time is over. Null: none. */
  readonly temporary: RequestedState | null;
  /** A proposal that waits for a second operator. Null: none. */
  readonly proposed: RequestedState | null;
}

/** The properties that decide whether a run may continue. `calling`: the provider that the run is waiting for, or null. */
interface Stoppable {
  readonly route: { readonly name: string };
  readonly principal_id: string;
  readonly calling?: string | null;
}

interface Approvable {
  readonly route: { readonly name: string };
  readonly events: readonly RunEvent[];
}

/** A guard in a pipeline. `required`: operators cannot disable it. */
interface Skippable {
  readonly name: string;
  readonly required: boolean;
}

/**
 * The routes, providers, guards and principals that operators have disabled or restricted. Computed from the operations log, so it is the same in
 * every process. Targets without records are `enabled`.
 */
export class OperationalStates implements RunPolicy {
  readonly #entries: Readonly<Record<StatefulKind, Map<string, StateEntry>>> = {
    route: new Map(),
    provider: new Map(),
    guard: new Map(),
    principal: new Map(),
  };

  readonly #clock: Pick<Clock, 'now'>;
  /** Temporary states whose time is over. A clock that is set back does not revive them. */
  readonly #over = new WeakSet<RequestedState>();

  constructor(clock: Pick<Clock, 'now'> = Date) {
    this.#clock = clock;
  }

  /**
   * Applies a record of the operations log. A state that only a newer release knows counts as the strictest of its kind. A proposal for such a state
   * is ignored.
   */
  readonly apply: ApplyOperation = ({ action, target: { kind, name }, change, at, actor, reason, seq }) => {
    if (action !== 'state.changed' && action !== 'state.proposed') return true;
    if (!isStatefulKind(kind)) return false;
    const entry = this.entry({ kind, name });
    if (action === 'state.changed' && change.ended !== undefined) {
      if (entry.temporary?.seq === change.ended) this.#set({ ...entry, temporary: null });
      return true;
    }
    const { state, for_s = null } = change;
    const known = hasState(kind, state) && isPeriod(for_s) ? { state, for_s } : null;
    const asked = { ...(known ?? { state: STRICTEST[kind], for_s: null }), since: at, by: actor.principal_id, reason, seq };
    if (action === 'state.changed') {
      this.#set({
        ...entry,
        ...(asked.for_s === null ? { current: asked, temporary: null } : { temporary: asked }),
        proposed: null,
      });
      if (kind === 'principal' && asked.state === 'disabled') this.#dropProposalsOf(name);
    } else if (known !== null) this.#set({ ...entry, proposed: asked });
    return known !== null;
  };

  entry({ kind, name }: StateTarget): StateEntry {
    return this.#entries[kind].get(name) ?? { kind, name, current: null, temporary: null, proposed: null };
  }

  /** Every target that has a proposal, a temporary state, or a lasting state other than `enabled`. */
  get changed(): StateEntry[] {
    return this.#all.filter(
      ({ current, temporary, proposed }) =>
        proposed !== null || (temporary !== null && !this.#isOver(temporary)) || (current?.state ?? 'enabled') !== 'enabled',
    );
  }

  /** Milliseconds since the epoch. */
  now(): number {
    return this.#clock.now();
  }

  /** Entries whose temporary state has ended, although no record says so yet. */
  get ended(): StateEntry[] {
    return this.#all.filter(({ temporary }) => temporary !== null && this.#isOver(temporary));
  }

  of(kind: StatefulKind, name: string): OperationalState {
    return this.inForce({ kind, name })?.state ?? 'enabled';
  }

  /** The state that applies at `at` (in milliseconds since the epoch; default: now). Null: nobody has changed it. */
  inForce(target: StateTarget, at = this.now()): RequestedState | null {
    const { current, temporary } = this.entry(target);
    return temporary !== null && !this.#isOver(temporary) && at < endTime(temporary) ? temporary : current;
  }

  /** Whether an approver must be asked before the first model call. `resumed`: an approver has approved at that point already. */
  asksApproval({ route, events }: Approvable, resumed: boolean): boolean {
    return this.of('route', route.name) === 'approval_required' && !(resumed && events.some(isOperatorApproval));
  }

  /** Why a run must end now, or cannot continue. Null: it may continue. */
  stopOf({ route, principal_id, calling = null }: Stoppable): OperatorStop | null {
    const principal = this.#disabled('principal', principal_id);
    if (principal !== null) return new OperatorStop('principal_disabled', principal);
    const on = this.#disabled('route', route.name);
    if (on !== null) return new OperatorStop('route_disabled', on);
    return calling === null ? null : this.providerStop(calling);
  }

  /** Why the provider must not be called. Null: it may be called. */
  providerStop(provider: string): OperatorStop | null {
    const disabled = this.#disabled('provider', provider);
    return disabled === null ? null : new OperatorStop('provider_disabled', disabled);
  }

  /** @throws {SvcError} SVC-OPS-002 for a disabled principal */
  assertPrincipal(principal_id: string): void {
    const disabled = this.#disabled('principal', principal_id);
    if (disabled !== null) throw new OperatorStop('principal_disabled', disabled).error;
  }

  /** @throws {SvcError} SVC-OPS-001, SVC-OPS-002 unless an accepted run may continue */
  assertMayContinue(run: Stoppable): void {
    const stop = this.stopOf(run);
    if (stop !== null) throw stop.error;
  }

  /** @throws {SvcError} SVC-OPS-001, SVC-OPS-002 unless a new run may start */
  assertBegins(run: Stoppable): void {
    this.assertMayContinue(run);
    if (this.of('route', run.route.name) === 'read_only')
      throw new SvcError('SVC-OPS-001', 'an operator has made this route read-only: it accepts no new runs');
  }

  guardStop({ name, required }: Skippable): number | null {
    return required ? null : (this.#disabled('guard', name)?.seq ?? null);
  }

  /** A disabled principal no longer counts as one of two operators. */
  #dropProposalsOf(principal_id: string): void {
    for (const entry of this.#all) if (entry.proposed?.by === principal_id) this.#set({ ...entry, proposed: null });
  }

  #disabled(kind: StatefulKind, name: string): RequestedState | null {
    const entry = this.#entries[kind].get(name);
    if (entry === undefined) return null;
    const state = this.inForce(entry);
    return state?.state === 'disabled' ? state : null;
  }

  get #all(): StateEntry[] {
    return Object.values(this.#entries).flatMap((entries) => [...entries.values()]);
  }

  #set(entry: StateEntry): void {
    this.#entries[entry.kind].set(entry.name, entry);
  }

  #isOver(temporary: RequestedState): boolean {
    if (endTime(temporary) <= this.now()) this.#over.add(temporary);
    return this.#over.has(temporary);
  }
}

/** When a state ends, in milliseconds since the epoch. Infinity if it does not expire. */
export function endTime({ since, for_s }: Pick<RequestedState, 'since' | 'for_s'>): number {
  return for_s === null ? Number.POSITIVE_INFINITY : Date.parse(since) + for_s * 1000;
}

function isPeriod(for_s: unknown): for_s is number | null {
  return for_s === null || (Number.isSafeInteger(for_s) && (for_s as number) > 0);
}
