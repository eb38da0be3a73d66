import { ROUTE_DEFAULTS, type RuntimeRoute } from '@svc/kernel/routes';
import type { CurrentRoutes } from './gateway-env.ts';

/** The route or, if it is no longer configured, an empty one in its place. With that, the route's runs can still end with evidence. */
export function routeOrTombstone(name: string, { routes, config_digest }: CurrentRoutes): RuntimeRoute {
  const route = routes.get(name);
  if (route !== undefined) return route;
  return { ...ROUTE_DEFAULTS, name, endpoints: [], digest: '', config_digest };
}
