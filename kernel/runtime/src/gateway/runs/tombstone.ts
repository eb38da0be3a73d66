import { ROUTE_DEFAULTS, type RuntimeRoute } from '@svc/kernel/routes';
import type { CurrentRoutes } from './gateway-env.ts';

/** A route that the configuration does not have any more is stood for by an empty one: its runs still end with evidence. */
export function routeOrTombstone(name: string, { routes, config_digest }: CurrentRoutes): RuntimeRoute {
  const route = routes.get(name);
  if (route !== undefined) return route;
  return { ...ROUTE_DEFAULTS, name, endpoints: [], digest: '', config_digest };
}
