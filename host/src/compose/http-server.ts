import type { PemError } from '@svc/toolkit/network';
import { tlsFiles } from '../config/index.ts';
import { assertStillBy } from '../http/assert-still.ts';
import type { Authentication } from '../http/auth.ts';
import { buildServer } from '../http/server/server.ts';
import { ServerCertificates } from '../http/server/tls.ts';
import type { Server } from '../http/typed-server.ts';
import type { Container } from './container.ts';
import { makeEndpoints } from './endpoints.ts';
import { prepareIssuers } from './issuers.ts';
import {
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
} from './tokens.ts';

/** The server, which does not listen yet. */
export async function makeServer(container: Container): Promise<Server> {
  const { server: settings, protocols } = container.resolve(CONFIG);
  const { demo, describes = false, allowed_hosts } = container.resolve(OPTIONS);
  const gateway = await container.resolve(GATEWAY);
  const certificates = container.resolve(CERTIFICATES);
  const draining = container.resolve(DRAINING);
  const sources = allowed_hosts === null ? { ring: container.resolve(KEY_RING), issuers: container.resolve(ISSUERS) } : null;
  const assertStill = assertStillBy(sources, gateway.states);
  const server = await buildServer({
    gateway,
    authentication: await authenticationOf(container),
    assertStill,
    bytes: container.resolve(BYTES_IN_FLIGHT),
    protocols,
    isDraining: () => draining.begun,
    isRefusing: () => draining.refuses,
    addEndpoints: await makeEndpoints(container, assertStill),
    body_limit_bytes: settings.body_limit_bytes,
    trust_proxy: settings.trust_proxy,
    cors_origins: settings.cors_origins,
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

async function authenticationOf(container: Container): Promise<Authentication> {
  const { allowed_hosts } = container.resolve(OPTIONS);
  if (allowed_hosts !== null) return { kind: 'none', allowed_hosts };
  const applyIssuers = await prepareIssuers(container.resolve(CONFIG), container);
  applyIssuers();
  return {
    kind: 'keys',
    ring: container.resolve(KEY_RING),
    uses: container.resolve(KEY_USES),
    issuers: container.resolve(ISSUERS),
  };
}
