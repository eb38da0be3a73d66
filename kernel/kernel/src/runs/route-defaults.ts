import type { RuntimeRoute } from './route.ts';

/** What a route is where nothing is said: of programs, of routes that are gone, of fixtures. A configuration file says all of it. */
export const ROUTE_DEFAULTS: Omit<RuntimeRoute, 'name' | 'endpoints' | 'digest' | 'config_digest'> = {
  affinity: 'cache',
  retries: 0,
  ingress: [],
  egress: [],
  unscannable: 'pass',
  embeddings: 'block',
  vendor_tools: [],
  stops: 'text',
  approvers: [],
  approval_wait_ms: 0,
  self_approval: true,
  model_version: null,
};
