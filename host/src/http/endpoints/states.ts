import { hasState, type RequestedState, type StatefulKind, SvcError, type StateTarget as Target } from '@svc/contracts';
import type { Gateway } from '@svc/runtime';
import { changeState, endTime, type OperationalStates, type StateEntry } from '@svc/runtime/records';
import { durationMs } from '../../config/duration.ts';
import { nearestName } from '../../config/nearest.ts';
import { actorOf } from '../actor.ts';
import { SMALL_BODY_BYTES } from '../admission.ts';
import type { AssertStill } from '../assert-still.ts';
import { requireRole, requireRoute } from '../auth.ts';
import { created_at, json, route } from '../description/samples.ts';
import type { Principal } from '../key-ring.ts';
import { mayChange } from '../may-change.ts';
import { reasonOf } from '../reason.ts';
import { ref, SetState, State, StateList, StateTarget } from '../schemas.ts';
import type { Server } from '../typed-server.ts';

/** The targets that operators may stop, and the rules for that. */
export interface StatefulTargets {
  /** The names that can be listed. */
  readonly names: (kind: StatefulKind) => readonly string[];
  /** Whether the target is configured, was configured, or could exist. The last covers principals from an issuer, which cannot be listed. */
  readonly isKnown: (kind: StatefulKind, name: string) => boolean;
  /** Guards that cannot be disabled. */
  readonly required_packs: ReadonlySet<string>;
  /** Whether lifting a restriction takes two operators. */
  readonly two_person: boolean;
  /** Whether a principal has a key or could have a token that may change states. */
  readonly isOperator: (principal_id: string | null, target: Target) => boolean;
}

interface Parts {
  readonly gateway: Pick<Gateway, 'operations' | 'states'>;
  /** The targets of the active configuration. */
  readonly targets: () => StatefulTargets;
  readonly assertStill: AssertStill;
}

const stopped = {
  kind: 'route',
  name: route,
  state: 'disabled',
  since: created_at,
  by: 'ada',
  reason: 'answers with names of customers',
  until: null,
  next_state: null,
  proposed: null,
};
const proposed = { ...stopped, proposed: { state: 'enabled', since: created_at, by: 'ada', reason: null, for: null } };

/** Lets operators stop routes, providers, guards and principals, and enable them again. */
export function stateEndpoints(app: Server, { gateway: { operations, states }, targets, assertStill }: Parts): void {
  app.get(
    '/v1/operations/states',
    {
      config: { roles: ['admin'], example: { response: json({ states: [stopped] }) } },
      schema: {
        operationId: 'listStates',
        tags: ['operations'],
        summary: 'List everything stopped or restricted',
        description: 'Routes, providers, guards and principals. A key limited to routes or namespaces sees only its routes.',
        response: { 200: ref(StateList) },
      },
    },
    async (request) => {
      const principal = requireRole(request);
      return { states: states.changed.filter((entry) => mayChange(principal, entry)).map((entry) => shown(states, entry)) };
    },
  );

  app.put(
    '/v1/operations/states/:kind/:name',
    {
      config: {
        roles: ['admin'],
        metered: true,
        alwaysAdmitted: true,
        errors: ['SVC-OPS-003', 'SVC-OPS-004', 'SVC-STORE-001'],
        example: {
          request: { state: 'disabled', reason: stopped.reason },
          response: json(stopped),
          others: { 202: json(proposed) },
        },
      },
      bodyLimit: SMALL_BODY_BYTES,
      schema: {
        operationId: 'setState',
        tags: ['operations'],
        summary: 'Stop, restrict or enable a route, provider, guard or principal',
        description:
          'Takes effect at once here, and within 2 seconds in every process that uses the same store. Runs in progress that use a disabled target are ended. With `for`, the change expires: then the last state that does not expire applies again, even after a restart. With `operations.two_person`, lifting a restriction is a proposal (202) until a second operator sends the same request.',
        params: StateTarget,
        body: ref(SetState),
        response: { 200: ref(State), 202: ref(State) },
      },
    },
    async (request, reply) => {
      const principal = requireRole(request);
      const stateful = targets();
      const target = { kind: request.params.kind, name: request.params.name };
      requireTarget(principal, target);
      const { state } = request.body;
      const reason = reasonOf(request.body.reason);
      const { kind } = target;
      if (!hasState(kind, state)) throw new SvcError('SVC-REQ-001', `body/state: a ${kind} cannot have the state ${state}`);
      const known = states.entry(target);
      if (known.current === null) assertKnown(target, stateful);
      if (kind === 'guard' && state === 'disabled' && stateful.required_packs.has(target.name))
        throw new SvcError('SVC-OPS-003', 'the configuration marks this guard as required; stop its routes instead');
      const actor = actorOf(principal);
      const for_s = request.body.for === undefined ? null : durationMs(request.body.for) / 1000;
      const asked = { target, state, reason, for_s, actor, assertStill: () => assertStill(principal) };
      const record = await changeState(operations, states, asked, stateful);
      if (record !== null)
        request.log.warn({
          event: 'operational_state',
          action: record.action,
          ...target,
          state,
          ...(for_s === null ? {} : { for_s }),
          seq: record.seq,
          by: actor.principal_id,
        });
      return reply.code(record?.action === 'state.proposed' ? 202 : 200).send(shown(states, states.entry(target)));
    },
  );
}

/** @throws {SvcError} SVC-AUTH-002 for a limited key, unless the target is a route that it may use */
function requireTarget(principal: Principal, target: Target): void {
  if (target.kind === 'route') requireRoute(principal, target.name);
  if (!mayChange(principal, target))
    throw new SvcError(
      'SVC-AUTH-002',
      `this key is limited to some routes or namespaces, but a ${target.kind} may serve others; use a key without limits`,
    );
}

/** @throws {SvcError} SVC-OPS-004 */
function assertKnown({ kind, name }: Target, { names, isKnown }: StatefulTargets): void {
  if (isKnown(kind, name)) return;
  const nearest = nearestName(name, names(kind));
  throw new SvcError('SVC-OPS-004', `unknown ${kind}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`);
}

function shown(states: OperationalStates, entry: StateEntry): State {
  const { kind, name, current, proposed } = entry;
  const { state = 'enabled', since = null, by = null, reason = null, for_s = null } = states.inForce(entry) ?? {};
  const until = since === null || for_s === null ? null : new Date(endTime({ since, for_s })).toISOString();
  const next_state = until === null ? null : (current?.state ?? 'enabled');
  return {
    kind,
    name,
    state,
    since,
    by,
    reason,
    until,
    next_state,
    proposed: proposed === null ? null : shownProposal(proposed),
  };
}

function shownProposal({ state, since, by, reason, for_s }: RequestedState): NonNullable<State['proposed']> {
  return { state, since, by, reason, for: for_s === null ? null : `${for_s}s` };
}
