import type { SecureServerOptions } from 'node:http2';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { type Clock, errorName, type ProtocolPlugin, SvcError } from '@svc/contracts';
import { type BytesInFlight, stopping } from '@svc/kernel/admission';
import type { Gateway } from '@svc/runtime';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyHttpOptions,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type RawServerDefault,
} from 'fastify';
import type { Logger } from 'pino';
import { isNoRoom, useAdmission } from '../admission.ts';
import type { AssertStill } from '../assert-still.ts';
import { type Authentication, authenticate, useAuthentication } from '../auth.ts';
import { useClientFacts } from '../client-facts.ts';
import { asSvcError, sendError } from '../errors.ts';
import { useRequestLog } from '../request-log.ts';
import type { Server } from '../typed-server.ts';
import { BrokenMessages } from './broken-messages.ts';
import { COMMON_HEADERS } from './common-headers.ts';
import { useCors } from './cors.ts';
import { useDemoQuota } from './demo.ts';
import { assertUnambiguous } from './http-message-rules.ts';
import { useJsonParser } from './json-parser.ts';
import { useLingeringClose } from './lingering-close.ts';
import { noSuchPath } from './no-such-path.ts';
import { assertOurProtocol } from './other-protocols.ts';
import { plainPath } from './plain-path.ts';
import { nameRequest, newRequestId } from './request-id.ts';
import { limitRequestTime } from './tls.ts';
import { useValidation } from './validation.ts';

export interface ServerOptions {
  readonly gateway: Gateway;
  readonly authentication: Authentication;
  readonly assertStill: AssertStill;
  readonly bytes: BytesInFlight;
  /** Protocol plugins, for messages about their paths. */
  readonly protocols: readonly ProtocolPlugin[];
  /** Whether the gateway is about to stop, so that new connections should go elsewhere. */
  readonly isDraining: () => boolean;
  /** Whether the gateway now answers probes only. */
  readonly isRefusing: () => boolean;
  /** Adds the endpoints. */
  readonly addEndpoints: (app: Server) => void;
  readonly body_limit_bytes: number;
  readonly trust_proxy: boolean;
  /** Origins whose pages may send requests. */
  readonly cors_origins: readonly string[];
  /** `--demo`: the clock for visitors' quotas. Null: no quotas. */
  readonly demo: Clock | null;
  readonly logger: Logger;
  /** Null: plain HTTP. */
  readonly tls: SecureServerOptions | null;
  /** Whether the server describes its endpoints (`swagger()`). */
  readonly describes: boolean;
}

/** How long a request may take to arrive as a whole. */
const REQUEST_TIMEOUT_MS = 60_000;
const MAX_CONNECTIONS = 10_000;
/** The maximum length of an address, so that an id of any length counts as an unknown id. */
const MAX_PARAMETER_CHARACTERS = 16_384;

/** The HTTP server of a gateway. It does not listen yet. */
export async function buildServer(options: ServerOptions): Promise<Server> {
  const { gateway } = options;
  const quiet: FastifyBaseLogger = options.logger.child({}, { level: 'warn' });
  const broken = new BrokenMessages();
  const app = newApp({
    ...(options.tls !== null && { http2: true, https: options.tls }),
    // `useRequestLog` logs requests. The framework itself only warns.
    loggerInstance: quiet,
    // Its lines have no request id, so no request needs a logger of its own.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: options.body_limit_bytes,
    // Trusts one hop, which the proxy itself saw. A client can forge the earlier ones.
    trustProxy: options.trust_proxy ? (_address, hop) => hop === 0 : false,
    genReqId: newRequestId,
    rewriteUrl: ({ url = '/' }) => plainPath(url),
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: 0,
    // `Connections` ends a connection when its response has been sent.
    forceCloseConnections: false,
    return503OnClosing: false,
    // Node itself would refuse a request without Host, but with an empty body. The gateway's error has a body.
    http: { requireHostHeader: false },
    routerOptions: { maxParamLength: MAX_PARAMETER_CHARACTERS },
    // No hook runs for a malformed address, so authentication is called here first.
    frameworkErrors: (error, request, reply) => {
      nameRequest(reply);
      void asFrameworkError(error, request, reply, options.authentication).then((known) => answerError(known, request, reply));
    },
    clientErrorHandler: (error, socket) => broken.refuse(error, socket),
  });
  // The framework sets this only for HTTP/1.
  app.server.requestTimeout = REQUEST_TIMEOUT_MS;
  limitRequestTime(app.server, REQUEST_TIMEOUT_MS);
  broken.watch(app.server);
  app.server.maxConnections = MAX_CONNECTIONS;
  app.setErrorHandler((error, request, reply) => {
    // The framework sets this header for an error in the middle of a body. The caller may use the connection again.
    if (isNoRoom(error)) reply.removeHeader('connection');
    return answerError(error, request, reply);
  });
  useJsonParser(app);
  useValidation(app);
  // Loaded on demand, because it needs 3 MB.
  if (options.describes) {
    const { openApi } = await import('../description/openapi.ts');
    await app.register((await import('@fastify/swagger')).default, openApi());
  }
  app.addHook('onRequest', (request, reply, done) => {
    nameRequest(reply);
    reply.headers(COMMON_HEADERS);
    assertUnambiguous(request, reply);
    done();
  });
  await useCors(app, options.cors_origins);
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.is404) assertOurProtocol(request.url, options.protocols);
    done();
  });
  useAuthentication(app, options.authentication, { states: gateway.states, assertStill: options.assertStill });
  // Clients of WebSockets fall back at once if they get this status.
  app.addHook('onRequest', (request, reply, done) => {
    if (!asksForWebSocket(request)) return done();
    reply.header('upgrade', 'HTTP/1.1');
    done(new SvcError('SVC-REQ-007', 'WebSockets are not served; send the request as a POST over HTTP'));
  });
  app.addHook('onRequest', ({ routeOptions: { url, config } }, _reply, done) => {
    // Probes are always answered.
    const isProbe = config.probe === true || config.public === true || url === '/v1/health';
    if (options.isRefusing() && !isProbe) throw stopping();
    done();
  });
  // Runs before the body is read, because for an unknown path the body does not matter.
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.is404) throw new SvcError('SVC-REQ-003', noSuchPath(request.url));
    if (readsOld(request.routeOptions.url ?? '')) gateway.assertChecked();
    done();
  });
  if (options.demo !== null) useDemoQuota(app, options.demo);
  useAdmission(app, options.bytes);
  useLingeringClose(app, options.isDraining);
  useRequestLog(app, options.logger);
  useClientFacts(app, (principal_id, name) => gateway.pseudonyms.of(principal_id, name));
  options.addEndpoints(app);
  return app;
}

type AppOptions = Omit<FastifyHttpOptions<RawServerDefault, FastifyBaseLogger>, 'http2'>;

/** Requests and responses of HTTP/2 have the same members as those of HTTP/1, as far as the gateway uses them. */
function newApp(options: AppOptions & { http2?: true; https?: SecureServerOptions }): Server {
  return Fastify(options as AppOptions).withTypeProvider<TypeBoxTypeProvider>();
}

/** Whether an endpoint reads data from before the start. */
function readsOld(pattern: string): boolean {
  return pattern.startsWith('/v1/audit') || pattern.startsWith('/v1/runs/') || pattern === '/v1/usage';
}

function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = asSvcError(error);
  if (known.code === 'SVC-INT-001') request.log.error({ event: 'internal_error', reason: causeName(known) });
  return sendError(known, request.routeOptions.url ?? '', reply);
}

async function asFrameworkError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  authentication: Authentication,
): Promise<unknown> {
  try {
    assertUnambiguous(request, reply);
    await authenticate(request, authentication);
    return new SvcError('SVC-REQ-001', 'the request URL is malformed', { cause: error });
  } catch (refused) {
    return refused;
  }
}

function causeName(error: Error): string {
  return errorName(error.cause);
}

function asksForWebSocket({ method, headers }: FastifyRequest): boolean {
  return method === 'GET' && /(?:^|[ ,])websocket(?:$|[ ,/])/i.test(headers.upgrade ?? '');
}
