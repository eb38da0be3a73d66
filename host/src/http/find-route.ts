import { SvcError } from '@svc/contracts';
import type { RuntimeRoute } from '@svc/kernel/routes';
import type { ModelCapabilities } from '../prices/capabilities.ts';
import type { RouteView } from './schemas.ts';

/** A configured route. */
export interface ServedRoute {
  /** The public view. */
  readonly attributes: RouteView;
  /** @param model the requested one, if the route's name is a pattern */
  readonly capabilities: (model: string) => ModelCapabilities;
  /** Used by the kernel. */
  readonly runtime: RuntimeRoute;
}

/** The routes in force by name. They may change between two reads. */
export interface Routes {
  readonly routes: ReadonlyMap<string, ServedRoute>;
}

/** A name that a caller may give: of a route, or of a model, which goes to the vendor unchanged. */
const MODEL = /^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,255}$/;

/** The route of this name, else the one with the longest matching prefix. @throws {SvcError} SVC-ROUTE-001 */
export function findRoute({ routes }: Routes, name: string): ServedRoute {
  const route = routes.get(name) ?? routes.get(patternFor(routes, name) ?? '');
  if (route === undefined)
    throw new SvcError('SVC-ROUTE-001', 'unknown route; GET /v1/models lists the available routes', { param: 'model' });
  return route;
}

/** The same for a call: if the route has a pattern, the name must be that of a model. @throws {SvcError} SVC-ROUTE-001 */
export function findRouteToCall(active: Routes, name: string): ServedRoute {
  if (!name.endsWith('*')) return findRoute(active, name);
  throw new SvcError('SVC-ROUTE-001', 'replace * with the name of a model', { param: 'model' });
}

/** Some APIs have the model in the path. */
function changesPath(part: string): boolean {
  return part === '' || part === '.' || part === '..';
}

function patternFor(routes: Routes['routes'], name: string): string | undefined {
  if (!MODEL.test(name) || name.split('/').some(changesPath)) return undefined;
  const patterns = [...routes.keys()].filter((each) => each.endsWith('*') && name.startsWith(each.slice(0, -1)));
  return patterns.sort((one, other) => other.length - one.length)[0];
}
