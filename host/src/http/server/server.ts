import type { SecureServerOptions } from 'node:http2';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { type Clock, errorName, SvcError } from '@svc/contracts';
import { stopping } from '@svc/kernel/admission';
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
import { AtOnce, ERASURES_AT_ONCE } from '../at-once.ts';
import { type Authentication, authenticate, useAuthentication } from '../auth.ts';
import { auditEndpoints } from '../endpoints/audit.ts';
import { chatEndpoints } from '../endpoints/chat.ts';
import { configurationEndpoints } from '../endpoints/configuration.ts';
import { embeddingsEndpoint } from '../endpoints/embeddings.ts';
import { healthEndpoints } from '../endpoints/health.ts';
import { keyEndpoints } from '../endpoints/keys.ts';
import { messagesEndpoints } from '../endpoints/messages.ts';
import { modelEndpoints } from '../endpoints/models.ts';
import { openApiEndpoint } from '../endpoints/openapi.ts';
import { operationsEndpoints } from '../endpoints/operations.ts';
import { pageEndpoints } from '../endpoints/pages.ts';
import { probeEndpoints } from '../endpoints/probes.ts';
import { proofEndpoints } from '../endpoints/proofs.ts';
import { protocolEndpoints } from '../endpoints/protocols.ts';
import { ragEndpoints } from '../endpoints/rag.ts';
import { responsesEndpoint } from '../endpoints/responses.ts';
import { runEndpoints } from '../endpoints/runs.ts';
import { signInEndpoints } from '../endpoints/sign-in.ts';
import { stateEndpoints } from '../endpoints/states.ts';
import { storedResponseEndpoints } from '../endpoints/stored-responses.ts';
import { usageEndpoint } from '../endpoints/usage.ts';
import { asSvcError, sendError } from '../errors.ts';
import { useRequestLog } from '../request-log.ts';
import { NAMED_SCHEMAS } from '../schemas.ts';
import type { Server, Surface } from '../surface.ts';
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
  readonly authentication: Authentication;
  readonly body_limit_bytes: number;
  readonly trust_proxy: boolean;
  /** Origins whose pages may ask. */
  readonly cors_origins: readonly string[];
  /** `--demo`: a clock for the quota of each visitor; null: none has one. */
  readonly demo: Clock | null;
  readonly logger: Logger;
  /** Null: plain HTTP. */
  readonly tls: SecureServerOptions | null;
  /** Whether it is to describe its endpoints (`swagger()`). */
  readonly describes: boolean;
}

/** A client has this long to send its request, and this many may be connected at once. */
const REQUEST_TIMEOUT_MS = 60_000;
const MAX_CONNECTIONS = 10_000;
/** As long as an address can be: an id of any length is then simply unknown. */
const MAX_PARAMETER_CHARACTERS = 16_384;

/** The HTTP surface over a gateway, not listening yet. */
export async function buildServer(surface: Surface, options: ServerOptions): Promise<Server> {
  const quiet: FastifyBaseLogger = options.logger.child({}, { level: 'warn' });
  const broken = new BrokenMessages();
  const app = newApp({
    ...(options.tls !== null && { http2: true, https: options.tls }),
    // Requests are logged below, field by field; the framework itself only warns.
    loggerInstance: quiet,
    // Its lines carry no request id, so that no request needs a logger of its own.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: options.body_limit_bytes,
    // One hop: what the proxy itself saw. What stands before it in the header, a client can have written.
    trustProxy: options.trust_proxy ? (_address, hop) => hop === 0 : false,
    genReqId: newRequestId,
    rewriteUrl: ({ url = '/' }) => plainPath(url),
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: 0,
    // See Connections: they are ended when they have sent their answers.
    forceCloseConnections: false,
    return503OnClosing: false,
    // Node's own refusal of a request without Host has no body; ours has.
    http: { requireHostHeader: false },
    routerOptions: { maxParamLength: MAX_PARAMETER_CHARACTERS },
    // An address that cannot be decoded reaches no hook: authentication comes first here too.
    frameworkErrors: (error, request, reply) => {
      nameRequest(reply);
      void asFrameworkError(error, request, reply, options.authentication).then((known) => answerError(known, request, reply));
    },
    clientErrorHandler: (error, socket) => broken.refuse(error, socket),
  });
  // The framework sets it for HTTP/1 alone.
  app.server.requestTimeout = REQUEST_TIMEOUT_MS;
  limitRequestTime(app.server, REQUEST_TIMEOUT_MS);
  broken.watch(app.server);
  app.server.maxConnections = MAX_CONNECTIONS;
  app.setErrorHandler((error, request, reply) => {
    // Set by the framework for a fault in the middle of a body. The caller may ask again on the same connection.
    if (isNoRoom(error)) reply.removeHeader('connection');
    return answerError(error, request, reply);
  });
  useJsonParser(app);
  useValidation(app, NAMED_SCHEMAS);
  // Loaded for that alone: a server that only serves does without its 3 MB.
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
    if (request.is404) assertOurProtocol(request.url, surface.protocols);
    done();
  });
  useAuthentication(app, options.authentication, { states: surface.gateway.states, assertStill: surface.assertStill });
  // Clients that find no WebSocket under this status go on without at once.
  app.addHook('onRequest', (request, reply, done) => {
    if (!asksForWebSocket(request)) return done();
    reply.header('upgrade', 'HTTP/1.1');
    done(new SvcError('SVC-REQ-007', 'WebSockets are not served; send the request as a POST over HTTP'));
  });
  app.addHook('onRequest', ({ routeOptions: { url, config } }, _reply, done) => {
    // What asks how it does is answered to the end.
    const isProbe = config.probe === true || config.public === true || url === '/v1/health';
    if (surface.isRefusing() && !isProbe) throw stopping();
    done();
  });
  // Before a body is read: what nobody serves need not be well-formed.
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.is404) throw new SvcError('SVC-REQ-003', noSuchPath(request.url));
    if (readsOld(request.routeOptions.url ?? '')) surface.gateway.assertChecked();
    done();
  });
  if (options.demo !== null) useDemoQuota(app, options.demo);
  useAdmission(app, surface.bytes);
  useLingeringClose(app, surface.isDraining);
  useRequestLog(app, options.logger);
  chatEndpoints(app, surface);
  responsesEndpoint(app, surface);
  embeddingsEndpoint(app, surface);
  messagesEndpoints(app, surface);
  protocolEndpoints(app, surface);
  modelEndpoints(app, surface);
  const erasures = new AtOnce(ERASURES_AT_ONCE);
  runEndpoints(app, surface, erasures);
  storedResponseEndpoints(app, surface, erasures);
  auditEndpoints(app, surface);
  proofEndpoints(app, surface);
  operationsEndpoints(app, surface);
  ragEndpoints(app, surface);
  stateEndpoints(app, surface);
  keyEndpoints(app, surface);
  usageEndpoint(app, surface);
  healthEndpoints(app, surface);
  probeEndpoints(app, surface);
  configurationEndpoints(app, surface);
  openApiEndpoint(app);
  pageEndpoints(app, surface);
  signInEndpoints(app, surface);
  return app;
}

type AppOptions = Omit<FastifyHttpOptions<RawServerDefault, FastifyBaseLogger>, 'http2'>;

/** Requests and responses of HTTP/2 have the members that are used of those of HTTP/1. */
function newApp(options: AppOptions & { http2?: true; https?: SecureServerOptions }): Server {
  return Fastify(options as AppOptions).withTypeProvider<TypeBoxTypeProvider>();
}

/** Whether it reads what may have been stored at any time. */
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
    return new SvcError('SVC-REQ-001', 'the address is not well-formed', { cause: error });
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
