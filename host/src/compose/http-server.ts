import { estimatedTokens } from '@svc/kernel';
import { mayApprove } from '../config/index.ts';
import type { Authentication } from '../http/auth.ts';
import { loadPages } from '../http/pages.ts';
import { buildServer } from '../http/server/server.ts';
import type { Server, Surface } from '../http/surface.ts';
import { countTokens } from '../tokens/token-counter.ts';
import type { Container } from './container.ts';
import { servedRoutes } from './served-routes.ts';
import { statefulTargets } from './stateful-targets.ts';
import { BYTES_IN_FLIGHT, CLOCK, CONFIG, DRAINING, GATEWAY, ISSUERS, KEY_RING, LOGGER, OPTIONS, RAG, ROUTES } from './tokens.ts';

/** Not listening yet. */
export async function makeServer(container: Container): Promise<Server> {
  const { body_limit_bytes, trust_proxy, cors_origins } = container.resolve(CONFIG).server;
  const { demo, describes = false } = container.resolve(OPTIONS);
  return buildServer(await surfaceOf(container), {
    authentication: await authenticationOf(container),
    body_limit_bytes,
    trust_proxy,
    cors_origins,
    demo: demo === true ? container.resolve(CLOCK) : null,
    logger: container.resolve(LOGGER),
    describes,
  });
}

async function surfaceOf(container: Container): Promise<Surface> {
  const config = container.resolve(CONFIG);
  const { allowed_hosts, metrics } = container.resolve(OPTIONS);
  const ring = container.resolve(KEY_RING);
  const draining = container.resolve(DRAINING);
  return {
    gateway: await container.resolve(GATEWAY),
    rag: await container.resolve(RAG),
    routes: servedRoutes(config, container.resolve(ROUTES)),
    canApprove: (principal_id, route) =>
      allowed_hosts !== null || ring.canApprove(principal_id, route) || mayApprove(config.issuers, principal_id, route),
    config_digest: config.digest,
    config_path: config.path,
    started_at: Math.floor(container.resolve(CLOCK).now() / 1000),
    keep_alive_ms: config.server.keep_alive_ms,
    record_content: config.server.record_content,
    metrics,
    countTokens: (text) => estimatedTokens(text, countTokens),
    bytes: container.resolve(BYTES_IN_FLIGHT),
    isDraining: () => draining.begun,
    stateful: statefulTargets(config),
    pages: await loadPages(),
  };
}

async function authenticationOf(container: Container): Promise<Authentication> {
  const { allowed_hosts } = container.resolve(OPTIONS);
  if (allowed_hosts !== null) return { kind: 'none', allowed_hosts };
  return { kind: 'keys', ring: container.resolve(KEY_RING), issuers: await container.resolve(ISSUERS) };
}
