import type { RuntimeRoute } from '../core/route.ts';

/** A route that the configuration does not have any more is stood for by an empty one: its runs still end with evidence. */
export function routeOrTombstone(name: string, { routes }: { readonly routes: ReadonlyMap<string, RuntimeRoute> }): RuntimeRoute {
  const route = routes.get(name);
  if (route !== undefined) return route;
  return {
    name,
    endpoints: [],
    retries: 0,
    ingress: [],
    egress: [],
    unscannable: 'pass',
    embeddings: 'block',
    vendor_tools: [],
    approvers: [],
    approval_wait_ms: 0,
    self_approval: true,
    model_version: null,
    digest: '',
  };
}
