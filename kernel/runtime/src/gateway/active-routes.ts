import type { ModelInventory } from '@svc/contracts';
import { nodesOf, type PipelineNode, type RuntimeRoute } from '@svc/kernel/routes';
import type { RouteSet } from './gateway-options.ts';
import type { CurrentRoutes } from './runs/gateway-env.ts';

/** The routes of new runs. They are always replaced all at once. */
export interface ActiveRoutes extends CurrentRoutes {
  readonly inventory: readonly ModelInventory[];
}

export function activeRoutes(
  { routes, config_digest }: Omit<RouteSet, 'nodes'>,
  inventory: readonly ModelInventory[],
): ActiveRoutes {
  return {
    config_digest,
    inventory,
    routes: new Map(routes.map(({ runtime }): [string, RuntimeRoute] => [runtime.name, runtime])),
  };
}

/** Every node whose guard must be started. A guard may be in several nodes. */
export function nodesIn({ routes, nodes }: RouteSet): PipelineNode[] {
  return [...routes.flatMap(({ runtime }) => nodesOf(runtime)), ...nodes];
}
