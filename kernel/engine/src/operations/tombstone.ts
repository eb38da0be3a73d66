import type { RuntimeRoute } from '../core/route.ts';
import type { RunsEnv } from '../core/runs-env.ts';
import { ROUTE_DEFAULTS } from './route-defaults.ts';

/** A route that the configuration does not have any more is stood for by an empty one: its runs still end with evidence. */
export function routeOrTombstone(
  name: string,
  { routes, config_digest }: Pick<RunsEnv, 'routes' | 'config_digest'>,
): RuntimeRoute {
  const route = routes.get(name);
  if (route !== undefined) return route;
  return { ...ROUTE_DEFAULTS, name, endpoints: [], digest: '', config_digest };
}
