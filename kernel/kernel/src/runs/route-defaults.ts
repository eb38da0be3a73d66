import type { RuntimeRoute } from './route.ts';

/** Default values of a route, for programs, tombstone routes and fixtures. A configuration file always gives its own values. */
export const ROUTE_DEFAULTS: Omit<RuntimeRoute, 'name' | 'endpoints' | 'digest' | 'config_digest'> = {
  affinity: 'cache',
  retries: 0,
  ingress: [],
  egress: [],
  unscannable: 'pass',
  untrusted: ['retrieved', 'tool', 'document'],
  embeddings: 'block',
  vendor_tools: [],
  stops: 'text',
  approvers: [],
  approval_wait_ms: 0,
  self_approval: true,
  approvals: 1,
  escalate: null,
  approval_reason: 'optional',
  approval_passkey: 'none',
  model_version: null,
};
