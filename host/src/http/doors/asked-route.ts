import type { RuntimeRoute } from '@svc/kernel/routes';
import { badField } from '@svc/protocols';
import type { FastifyRequest } from 'fastify';
import { requireRole, requireRoute } from '../auth.ts';
import type { Principal } from '../key-ring.ts';
import { noteRoute } from '../request-log.ts';
import { findRouteToCall, type Surface } from '../surface.ts';
import { traceparentOf } from '../trace-context.ts';

/** Who asks for which route. */
export interface AskedRoute {
  readonly principal: Principal;
  readonly runtime: RuntimeRoute;
}

/**
 * The route that the body names as its `model`. The endpoint's schema must be validated with `attachValidation`, since an unknown route is told
 * before anything is said of the body.
 * @param named the route where the path names it
 * @throws {SvcError} SVC-AUTH-001, SVC-AUTH-002, SVC-ROUTE-001, SVC-REQ-001
 */
export function askedRoute(request: FastifyRequest, surface: Surface, named?: string): AskedRoute {
  const principal = requireRole(request, 'call');
  const name = named ?? routeNameOf(request.body);
  const route = findRouteToCall(surface, name);
  noteRoute(request, route);
  requireRoute(principal, route.runtime.name);
  if (request.validationError !== undefined) throw request.validationError;
  return { principal, runtime: route.runtime };
}

/** What a run has of who asks for it. */
export function askedBy({ principal, runtime }: AskedRoute, request: FastifyRequest) {
  const { principal_id, team, key_id } = principal;
  return {
    route: runtime,
    principal_id,
    team,
    key_id,
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
