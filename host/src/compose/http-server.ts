import type { PemError } from '@svc/toolkit/network';
import { mayApprove, mayName, tlsFiles } from '../config/index.ts';
import { assertStillBy } from '../http/assert-still.ts';
import type { Authentication } from '../http/auth.ts';
import { KeyChanges } from '../http/key-changes.ts';
import { loadPages } from '../http/pages.ts';
import { buildServer } from '../http/server/server.ts';
import { ServerCertificates } from '../http/server/tls.ts';
import type { Configuration, Server, Surface } from '../http/surface.ts';
import { TokenQuestions } from '../http/token-questions.ts';
import { countTokens } from '../tokens/token-counter.ts';
import type { Container } from './container.ts';
import { prepareIssuers } from './issuers.ts';
import { statefulTargets } from './stateful-targets.ts';
import {
  ACTIVE,
  BYTES_IN_FLIGHT,
  CERTIFICATES,
  CLOCK,
  CONFIG,
  DRAINING,
  GATEWAY,
  ISSUERS,
  KEY_RING,
  KEY_USES,
  LOGGER,
  OPTIONS,
  RAG,
  RATE_LIMITS,
  RELOAD,
  STORE,
  STORED_KEYS,
} from './tokens.ts';

/** Not listening yet. */
export async function makeServer(container: Container): Promise<Server> {
  const { body_limit_bytes, trust_proxy, cors_origins } = container.resolve(CONFIG).server;
  const { demo, describes = false } = container.resolve(OPTIONS);
  const certificates = container.resolve(CERTIFICATES);
  const server = await buildServer(await surfaceOf(container), {
    authentication: await authenticationOf(container),
    body_limit_bytes,
    trust_proxy,
    cors_origins,
    demo: demo === true ? container.resolve(CLOCK) : null,
    logger: container.resolve(LOGGER),
    describes,
    tls: await certificates.options(),
  });
  certificates.keepFresh(server.server);
  return server;
}

export function makeCertificates(container: Container): ServerCertificates {
  const { tls, directory } = container.resolve(CONFIG);
  const logger = container.resolve(LOGGER);
  const onProblem = ({ code, message }: PemError): void =>
    logger.error({ event: 'tls_not_renewed', reason: code, remedy: message });
  return new ServerCertificates(tls === null ? null : tlsFiles(tls, directory, onProblem), logger);
}

async function surfaceOf(container: Container): Promise<Surface> {
  const config = container.resolve(CONFIG);
  const { allowed_hosts, metrics } = container.resolve(OPTIONS);
  const ring = container.resolve(KEY_RING);
  const active = container.resolve(ACTIVE);
  const draining = container.resolve(DRAINING);
  const issuers = container.resolve(ISSUERS);
  const gateway = await container.resolve(GATEWAY);
  const stored = container.resolve(STORED_KEYS);
  const store = await container.resolve(STORE);
  const clock = container.resolve(CLOCK);
  const assertStill = assertStillBy(allowed_hosts === null ? { ring, issuers } : null, gateway.states);
  return {
    gateway,
    rag: await container.resolve(RAG),
    get routes() {
      return active.current.routes;
    },
    get price_origin() {
      return active.current.config.prices?.origin ?? null;
    },
    canApprove: (principal_id, route) =>
      allowed_hosts !== null ||
      ring.canApprove(principal_id, route) ||
      mayApprove(active.current.config.issuers, principal_id, route),
    configuration: configurationOf(container),
    assertStill,
    keys: {
      stored,
      changes: new KeyChanges({
        log: gateway.operations,
        keys: stored,
        clock,
        assertStill,
        principals: {
          keysOf: (principal_id) => ring.keysOf(principal_id),
          isOfIssuer: (principal_id) => mayName(active.current.config.issuers, principal_id),
          hasRuns: async (principal) => (await store.runs({ principal, limit: 1 })).rows.length > 0,
        },
      }),
      uses: container.resolve(KEY_USES),
    },
    limits: container.resolve(RATE_LIMITS),
    started_at: Math.floor(clock.now() / 1000),
    keep_alive_ms: config.server.keep_alive_ms,
    record_content: config.server.record_content,
    metrics,
    token_questions: new TokenQuestions(countTokens),
    bytes: container.resolve(BYTES_IN_FLIGHT),
    isDraining: () => draining.begun,
    isRefusing: () => draining.refuses,
    protocols: config.protocols,
    get stateful() {
      return statefulTargets(active, ring);
    },
    get sign_in() {
      return issuers.sign_in;
    },
    pages: await loadPages(),
  };
}

function configurationOf(container: Container): Configuration {
  const active = container.resolve(ACTIVE);
  return {
    get digest() {
      return active.current.config.digest;
    },
    path: active.current.config.path,
    get since() {
      return active.since;
    },
    reload: (order) => container.resolve(RELOAD).order(order),
  };
}

async function authenticationOf(container: Container): Promise<Authentication> {
  const { allowed_hosts } = container.resolve(OPTIONS);
  if (allowed_hosts !== null) return { kind: 'none', allowed_hosts };
  const put = await prepareIssuers(container.resolve(CONFIG), container);
  put();
  return {
    kind: 'keys',
    ring: container.resolve(KEY_RING),
    uses: container.resolve(KEY_USES),
    issuers: container.resolve(ISSUERS),
  };
}
