import { type Clock, SvcError } from '@svc/contracts';
import { type Delegation, delegate, endDelegation, type Gateway } from '@svc/runtime';
import type { FastifyContextConfig } from 'fastify';
import { Type } from 'typebox';
import { durationMs } from '../../config/duration.ts';
import { actorOf } from '../actor.ts';
import { SMALL_BODY_BYTES } from '../admission.ts';
import type { CanApprove } from '../approvers.ts';
import type { AssertStill } from '../assert-still.ts';
import { requireRole } from '../auth.ts';
import { created_at, json } from '../description/samples.ts';
import type { Routes } from '../find-route.ts';
import { hasRole, isForRoute, isLimited, type Principal } from '../key-ring.ts';
import { reasonOf } from '../reason.ts';
import { Delegate, DelegationList, Delegation as DelegationSchema, eg, reasonInQuery, ref } from '../schemas.ts';
import { timeOf } from '../time-of.ts';
import type { Server } from '../typed-server.ts';

interface Parts {
  readonly active: Routes;
  readonly gateway: Pick<Gateway, 'operations' | 'delegations'>;
  readonly assertStill: AssertStill;
  readonly canApprove: CanApprove;
  readonly clock: Clock;
}

const sample = {
  id: '0d9a7a52-6c1f-4b7e-9d7d-52f4c1b0a3e8',
  from: 'bob',
  to: 'dave',
  routes: null,
  since: created_at,
  until: '2026-01-19T09:00:00.000Z',
  reason: 'on leave',
};
const common = { tags: ['approvals'] };
const declared = { metered: true, alwaysAdmitted: true, errors: ['SVC-STORE-001'] } satisfies FastifyContextConfig;

/** Approvers let other people decide on their behalf. */
export function delegationEndpoints(app: Server, { active, gateway, assertStill, canApprove, clock }: Parts): void {
  const { operations: log, delegations } = gateway;
  const env = { log, delegations, clock };

  app.post(
    '/v1/approvals/delegations',
    {
      config: {
        ...declared,
        roles: ['approve'],
        example: { request: { to: 'dave', for: '14d', reason: 'on leave' }, response: json(sample) },
      },
      bodyLimit: SMALL_BODY_BYTES,
      schema: {
        ...common,
        operationId: 'delegateApprovals',
        summary: 'Let another person decide in your place for a limited time',
        description:
          'For approvers. The other person needs the role `approve` for the same route. A delegation made with a key that is limited to routes has the same limit. The delegate cannot delegate further. The delegation expires at every gateway, even after a restart.',
        body: ref(Delegate),
        response: { 201: ref(DelegationSchema) },
      },
    },
    async (request, reply) => {
      const caller = requireRole(request);
      const { to, until, for: period, reason } = request.body;
      if ((until === undefined) === (period === undefined))
        throw new SvcError('SVC-REQ-001', 'body must have either until or for');
      requireApprover(to, caller, active.routes.keys(), canApprove);
      const end = until === undefined ? clock.now() + durationMs(period ?? 0) : Date.parse(timeOf(until, 'until'));
      const made = await delegate({ ...changeOf(caller, reason), to, routes: caller.routes, until: end }, env);
      return reply.code(201).send(shown(made));
    },
  );

  app.get(
    '/v1/approvals/delegations',
    {
      config: { roles: ['approve', 'audit', 'admin'], example: { response: json({ delegations: [sample] }) } },
      schema: {
        ...common,
        operationId: 'listDelegations',
        summary: 'List the active delegations',
        description: 'Lists delegations from and to you. Keys with the role `admin` or `audit` and without limits see all.',
        response: { 200: ref(DelegationList) },
      },
    },
    async (request) => {
      const caller = requireRole(request);
      const seesAll = hasRole(caller, 'admin', 'audit') && !isLimited(caller);
      const isOwn = ({ from, to }: Delegation): boolean => [from.principal_id, to].includes(caller.principal_id);
      await log.catchUp();
      return { delegations: delegations.inForce.filter((each) => seesAll || isOwn(each)).map(shown) };
    },
  );

  app.delete(
    '/v1/approvals/delegations/:id',
    {
      config: {
        ...declared,
        roles: ['approve', 'admin'],
        errors: ['SVC-APPR-001', 'SVC-STORE-001'],
        example: { response: json({ ...sample, until: created_at }) },
      },
      schema: {
        ...common,
        operationId: 'endDelegation',
        summary: 'End a delegation early',
        description:
          'For the approver who made it, and keys with the role `admin`. A key that is limited to routes can end only delegations within its routes. Approvals by the delegate no longer count for runs that are still paused.',
        params: Type.Object({ id: Type.String({ description: 'Id of the delegation.', ...eg(sample.id) }) }),
        querystring: Type.Object(reasonInQuery),
        response: { 200: ref(DelegationSchema) },
      },
    },
    async (request) => {
      const caller = requireRole(request);
      const change = { ...changeOf(caller, request.query.reason), mayEnd: (each: Delegation) => mayEnd(caller, each) };
      return shown(await endDelegation(request.params.id, change, env));
    },
  );

  const changeOf = (caller: Principal, reason: string | undefined) => ({
    actor: actorOf(caller),
    reason: reasonOf(reason),
    assertStill: () => assertStill(caller),
  });
}

/** @throws {SvcError} SVC-REQ-001 unless there is a route on which both may decide */
function requireApprover(to: string, caller: Principal, routes: Iterable<string>, canApprove: CanApprove): void {
  if ([...routes].some((route) => isForRoute(caller, route) && canApprove(to, route))) return;
  throw new SvcError('SVC-REQ-001', 'body/to cannot decide: name a principal with the role approve for one of your routes');
}

function mayEnd(caller: Principal, { from, routes }: Delegation): boolean {
  if (from.principal_id === caller.principal_id) return true;
  const covers = !isLimited(caller) || (routes?.every((route) => isForRoute(caller, route)) ?? false);
  return hasRole(caller, 'admin') && covers;
}

function shown({ from, routes, ...delegation }: Delegation): DelegationSchema {
  return { ...delegation, from: from.principal_id, routes: routes === null ? null : [...routes] };
}
