import type { RuntimeRoute } from '@svc/kernel/routes';
import { badField, ORIGIN_MARK } from '@svc/protocols';
import type { FastifyRequest } from 'fastify';
import { requireRole, requireRoute } from '../auth.ts';
import { factsOf } from '../client-facts.ts';
import { findRouteToCall, type Routes } from '../find-route.ts';
import type { Principal } from '../key-ring.ts';
import { noteRoute } from '../request-log.ts';
import { traceparentOf } from '../trace-context.ts';

/** The caller, and the route that it asks for. */
export interface AskedRoute {
  readonly principal: Principal;
  readonly runtime: RuntimeRoute;
}

/**
 * The route that the body names as its `model`. The endpoint needs `attachValidation`, because an unknown route is reported before an invalid body.
 * @param named name of the route, if the path contains it
 * @throws {SvcError} SVC-AUTH-001, SVC-AUTH-002, SVC-ROUTE-001, SVC-REQ-001
 */
export function askedRoute(request: FastifyRequest, active: Routes, named?: string): AskedRoute {
  const principal = requireRole(request);
  const name = named ?? routeNameOf(request.body);
  const route = findRouteToCall(active, name);
  noteRoute(request, route);
  requireRoute(principal, route.runtime.name);
  if (request.validationError !== undefined) throw request.validationError;
  if (Object.hasOwn(Object(request.body), ORIGIN_MARK))
    throw badField(`body/${ORIGIN_MARK}`, 'must be on a message, on the system prompt, or on a part of one');
  return { principal, runtime: route.runtime };
}

/** The part of a run's request that is taken from the HTTP request. */
export function askedBy({ principal, runtime }: AskedRoute, request: FastifyRequest) {
  const { principal_id, identity, team, key_id } = principal;
  return {
    route: runtime,
    principal_id,
    identity,
    team,
    key_id,
    ...factsOf(request),
    keepAnswer: false,
    keepRequest: request.headers['x-svc-keep'] === 'request',
    idempotency_key: null,
    traceparent: traceparentOf(request),
    bytes: request.bytes,
  };
}

function routeNameOf(body: unknown): string {
  const name = typeof body === 'object' && body !== null && 'model' in body ? body.model : undefined;
  if (typeof name !== 'string') throw badField('body/model', 'must be the name of a route');
  return name;
}
