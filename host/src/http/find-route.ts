import { SvcError } from '@svc/contracts';
import type { RuntimeRoute } from '@svc/kernel/routes';
import type { ModelCapabilities } from '../prices/capabilities.ts';
import type { RouteView } from './schemas.ts';

/** A configured route. */
export interface ServedRoute {
  /** The public view. */
  readonly attributes: RouteView;
  /** @param model the requested model, if the route's name is a pattern */
  readonly capabilities: (model: string) => ModelCapabilities;
  /** The route as the kernel uses it. */
  readonly runtime: RuntimeRoute;
}

/** The active routes by name. They may change between two reads. */
export interface Routes {
  readonly routes: ReadonlyMap<string, ServedRoute>;
}

/** Matches a name that a caller may give: that of a route, or that of a model, which is passed to the vendor unchanged. */
const MODEL = /^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,255}$/;

/** The route of this name, or else the one with the longest matching prefix. @throws {SvcError} SVC-ROUTE-001 */
export function findRoute({ routes }: Routes, name: string): ServedRoute {
  const route = routes.get(name) ?? routes.get(patternFor(routes, name) ?? '');
  if (route === undefined)
    throw new SvcError('SVC-ROUTE-001', 'unknown route; GET /v1/models lists the available routes', { param: 'model' });
  return route;
}

/** As {@link findRoute}, for a call. If the route's name is a pattern, the name must be that of a model. @throws {SvcError} SVC-ROUTE-001 */
export function findRouteToCall(active: Routes, name: string): ServedRoute {
  if (!name.endsWith('*')) return findRoute(active, name);
  throw new SvcError('SVC-ROUTE-001', 'replace * with the name of a model', { param: 'model' });
}

/** Whether the model would change the path, which contains it in some APIs. */
function changesPath(part: string): boolean {
  return part === '' || part === '.' || part === '..';
}

function patternFor(routes: Routes['routes'], name: string): string | undefined {
  if (!MODEL.test(name) || name.split('/').some(changesPath)) return undefined;
  const patterns = [...routes.keys()].filter((each) => each.endsWith('*') && name.startsWith(each.slice(0, -1)));
  return patterns.sort((one, other) => other.length - one.length)[0];
}
