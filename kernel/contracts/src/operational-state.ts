/**
 * What an operator can disable while the gateway runs: the states of each kind, from loosest to strictest. The initial state is `enabled`. For a
 * guard the order is reversed, because disabling a guard lets more through.
 */
export const OPERATIONAL_STATES = {
  route: ['enabled', 'approval_required', 'read_only', 'disabled'],
  provider: ['enabled', 'disabled'],
  guard: ['disabled', 'enabled'],
  principal: ['enabled', 'disabled'],
} as const;

/** The strictest state of each kind. */
export const STRICTEST = { route: 'disabled', provider: 'disabled', guard: 'enabled', principal: 'disabled' } as const;

export type StatefulKind = keyof typeof OPERATIONAL_STATES;
export type OperationalState = (typeof OPERATIONAL_STATES)[StatefulKind][number];

export const STATEFUL_KINDS = Object.keys(OPERATIONAL_STATES) as StatefulKind[];

/** A route, provider, guard or principal, by its name in the configuration. */
export interface StateTarget {
  readonly kind: StatefulKind;
  readonly name: string;
}

/** A requested state. */
export interface RequestedState {
  readonly state: OperationalState;
  /** ISO 8601. */
  readonly since: string;
  /** The principal that requested it. Null: someone who controls the process. */
  readonly by: string | null;
  readonly reason: string | null;
  /** Seconds until the earlier state applies again. Null: it does not expire. */
  readonly for_s: number | null;
  /** `seq` of the record in the operations log. */
  readonly seq: number;
}

export function isStatefulKind(kind: string): kind is StatefulKind {
  return Object.hasOwn(OPERATIONAL_STATES, kind);
}

/** Whether targets of this kind can have this state. */
export function hasState(kind: StatefulKind, state: unknown): state is OperationalState {
  return (OPERATIONAL_STATES[kind] as readonly unknown[]).includes(state);
}

/** Whether the change lifts a restriction, so that more is allowed. */
export function isLooser(kind: StatefulKind, from: OperationalState, to: OperationalState): boolean {
  const states: readonly OperationalState[] = OPERATIONAL_STATES[kind];
  return states.indexOf(to) < states.indexOf(from);
}
