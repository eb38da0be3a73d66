import swagger from '@fastify/swagger';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { SvcError } from '@svc/kernel/contracts';
import Fastify, { type FastifyBaseLogger } from 'fastify';
import { type Authentication, useAuthentication } from './auth.ts';
import { auditEndpoints } from './endpoints/audit.ts';
import { chatEndpoints } from './endpoints/chat.ts';
import { healthEndpoints } from './endpoints/health.ts';
import { modelEndpoints } from './endpoints/models.ts';
import { pageEndpoints } from './endpoints/pages.ts';
import { ragEndpoints } from './endpoints/rag.ts';
import { runEndpoints } from './endpoints/runs.ts';
import { asSvcError, sendError } from './errors.ts';
import { assertRecordable } from './json-body.ts';
import { openApi } from './openapi.ts';
import { NAMED_SCHEMAS } from './schemas.ts';
import { usePageHeaders } from './security-headers.ts';
import type { Server, Surface } from './surface.ts';
import { useValidation } from './validation.ts';

export interface ServerOptions {
  readonly authentication: Authentication;
  readonly body_limit_bytes: number;
  readonly trust_proxy: boolean;
  readonly logger: FastifyBaseLogger;
}

/** A client has this long to send its request, and this many may be connected at once. */
const REQUEST_TIMEOUT_MS = 60_000;
const MOST_CONNECTIONS = 10_000;

/** The HTTP surface over a gateway, not listening yet. */
export async function buildServer(surface: Surface, options: ServerOptions): Promise<Server> {
  const app = Fastify({
    loggerInstance: options.logger,
    disableRequestLogging: true,
    bodyLimit: options.body_limit_bytes,
    trustProxy: options.trust_proxy,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: 0,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
  }).withTypeProvider<TypeBoxTypeProvider>();
  app.server.maxConnections = MOST_CONNECTIONS;
  app.setErrorHandler((error, request, reply) => {
    const known = asSvcError(error, request);
    if (known.code === 'SVC-INT-001') request.log.error({ event: 'internal_error', reason: causeName(known) });
    return sendError(known, request.routeOptions.url ?? '', reply);
  });
  app.setNotFoundHandler((_request, reply) =>
    sendError(new SvcError('SVC-REQ-003', 'no such path, or not with this method'), '', reply),
  );
  useValidation(app, NAMED_SCHEMAS);
  await app.register(swagger, openApi());
  usePageHeaders(app);
  useAuthentication(app, options.authentication);
  app.addHook('preValidation', async (request) => assertRecordable(request.body));
  app.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions, principal } = request;
    // The pattern, not the address: a query may hold what should not be logged.
    const fields = {
      method,
      path: routeOptions.url ?? null,
      status: reply.statusCode,
      principal_id: principal?.principal_id ?? null,
    };
    request.log.info({
      event: 'request',
      ...fields,
      run_id: reply.getHeader('x-svc-run-id') ?? null,
      duration_ms: Math.round(reply.elapsedTime),
    });
  });
  chatEndpoints(app, surface);
  modelEndpoints(app, surface);
  runEndpoints(app, surface);
  auditEndpoints(app, surface);
  ragEndpoints(app);
  healthEndpoints(app, surface);
  pageEndpoints(app, surface);
  return app;
}

function causeName(error: Error): string {
  return error.cause instanceof Error ? `${error.cause.name}` : 'unknown';
}
