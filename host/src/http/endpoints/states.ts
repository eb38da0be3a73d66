import { type AskedState, hasState, SvcError, type StateTarget as Target } from '@svc/contracts';
import { changeState, type StateEntry } from '@svc/runtime/records';
import { nearestName } from '../../config/nearest.ts';
import { actorOf } from '../actor.ts';
import { SMALL_BODY_BYTES } from '../admission.ts';
import { requireRole, requireRoute } from '../auth.ts';
import type { Principal } from '../key-ring.ts';
import { mayChange } from '../may-change.ts';
import { reasonOf } from '../reason.ts';
import { ErrorBody, ref, SetState, State, StateList, StateTarget } from '../schemas.ts';
import type { Server, StatefulTargets, Surface } from '../surface.ts';

/** What operators put out of use while the gateway runs, and back. */
export function stateEndpoints(app: Server, surface: Surface): void {
  const { operations, states } = surface.gateway;

  app.get(
    '/v1/operations/states',
    {
      schema: {
        operationId: 'listStates',
        tags: ['operations'],
        summary: 'List what is not enabled',
        description: 'Routes, providers, guards and principals. A key limited to routes or namespaces sees its routes only.',
        response: { 200: ref(StateList) },
      },
    },
    async (request) => {
      const principal = requireRole(request, 'admin');
      return { states: states.changed.filter((entry) => mayChange(principal, entry)).map(shown) };
    },
  );

  app.put(
    '/v1/operations/states/:kind/:name',
    {
      config: { metered: true, alwaysAdmitted: true },
      bodyLimit: SMALL_BODY_BYTES,
      schema: {
        operationId: 'setState',
        tags: ['operations'],
        summary: 'Put something out of use, or back',
        description:
          'Holds at once here, and within 2 seconds in every process over the same store. Runs under way that use what is disabled end. With `operations.two_person`, what lets more pass is a proposal (202) until another operator asks for the same.',
        params: StateTarget,
        body: ref(SetState),
        response: { 200: ref(State), 202: ref(State), 404: ref(ErrorBody), 409: ref(ErrorBody) },
      },
    },
    async (request, reply) => {
      const principal = requireRole(request, 'admin');
      const { stateful } = surface;
      const target = { kind: request.params.kind, name: request.params.name };
      requireTarget(principal, target);
      const { state } = request.body;
      const reason = reasonOf(request.body.reason);
      const { kind } = target;
      if (!hasState(kind, state)) throw new SvcError('SVC-REQ-001', `body/state ${state} is not a state of a ${kind}`);
      const known = states.entry(target);
      if (known.current === null) assertKnown(target, stateful);
      if (kind === 'guard' && state === 'disabled' && stateful.required_packs.has(target.name))
        throw new SvcError('SVC-OPS-003', 'the configuration requires this guard; stop its routes instead');
      const actor = actorOf(principal);
      const asked = { target, state, reason, actor, assertStill: () => surface.assertStill(principal) };
      const record = await changeState(operations, states, asked, stateful);
      if (record !== null)
        request.log.warn({
          event: 'operational_state',
          action: record.action,
          ...target,
          state,
          seq: record.seq,
          by: actor.principal_id,
        });
      return reply.code(record?.action === 'state.proposed' ? 202 : 200).send(shown(states.entry(target)));
    },
  );
}

/** @throws {SvcError} SVC-AUTH-002 for a key that is limited, unless it is for the route */
function requireTarget(principal: Principal, target: Target): void {
  if (target.kind === 'route') requireRoute(principal, target.name);
  if (!mayChange(principal, target))
    throw new SvcError('SVC-AUTH-002', `this key is limited to some routes or namespaces, and a ${target.kind} may serve others`);
}

/** @throws {SvcError} SVC-OPS-004 */
function assertKnown({ kind, name }: Target, { names, isKnown }: StatefulTargets): void {
  if (isKnown(kind, name)) return;
  const nearest = nearestName(name, names(kind));
  throw new SvcError('SVC-OPS-004', `there is no such ${kind}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`);
}

function shown({ kind, name, current, proposed }: StateEntry): State {
  const { state = 'enabled', since = null, by = null, reason = null } = current ?? {};
  return { kind, name, state, since, by, reason, proposed: proposed === null ? null : withoutSeq(proposed) };
}

function withoutSeq({ seq: _, ...asked }: AskedState): NonNullable<State['proposed']> {
  return asked;
}
