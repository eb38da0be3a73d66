import { isSvcError, type RunRow, type RunStatus } from '@svc/contracts';
import type { RunOutcome } from '@svc/kernel';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { FOR_PEOPLE } from '../telemetry/log/logger.ts';
import type { ServedRoute } from './find-route.ts';
import { addressOf } from './visitor.ts';

/** A run in the log line of the request that started or decided it. */
interface LoggedRun {
  readonly run_id: string;
  readonly outcome: RunStatus;
  /** Undefined: no model was called, or the run has not ended. */
  readonly usage?: RunRow['usage'];
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether machines poll this endpoint. If so, its log lines have the level debug. */
    quiet?: boolean;
  }
  interface FastifyRequest {
    /** The configured route of the request. Null if it names none. */
    about: { readonly route: string; readonly model: string } | null;
    /** The run that the request started or decided, when that run has paused or ended. Null: none. Never rejects. */
    run: Promise<LoggedRun | null> | null;
  }
}

/**
 * Logs one line for each request that was answered or whose caller disconnected. The line waits for the outcome of the run. Each field is listed
 * here, because headers, queries and bodies may contain secrets.
 */
export function useRequestLog(app: FastifyInstance, logger: Logger): void {
  app.decorateRequest('about', null);
  app.decorateRequest('run', null);
  app.addHook('onRequest', (request, reply, done) => {
    // The address is read now: once the response closes, the socket of a disconnected caller has none.
    const address = addressOf(request.ip);
    reply.raw.once('close', () => {
      const write = lineOf(request, reply, address, logger);
      if (request.run === null) write(null);
      else void request.run.then(write);
    });
    done();
  });
}

/** Collects the fields now. The returned function writes them together with those of the run. */
function lineOf(
  request: FastifyRequest,
  reply: FastifyReply,
  address: string | null,
  logger: Logger,
): (run: LoggedRun | null) => void {
  const { id, method, routeOptions, principal, about, facts } = request;
  const level = routeOptions.config.quiet ? 'debug' : 'info';
  const status = reply.raw.headersSent ? reply.statusCode : null;
  const run_id = reply.getHeader('x-svc-run-id') ?? null;
  const duration_ms = Math.round(reply.elapsedTime);
  return (run) =>
    logger[level]({
      event: 'request',
      request_id: id,
      method,
      // The pattern of the path, not the requested path.
      path: routeOptions.url ?? null,
      status,
      address,
      principal_id: principal?.principal_id ?? null,
      session: facts?.session ?? null,
      client: facts?.client ?? null,
      user: facts?.user ?? null,
      route: about?.route ?? null,
      model: about?.model ?? null,
      run_id: run_id ?? run?.run_id ?? null,
      outcome: run?.outcome ?? null,
      duration_ms,
      ...(run?.usage && { [FOR_PEOPLE]: tokensOf(run.usage) }),
    });
}

function tokensOf({ input_tokens, output_tokens }: NonNullable<RunRow['usage']>) {
  return { input_tokens, output_tokens };
}

/** Sets the route of a request for its log line. @param route undefined: the route is no longer configured */
export function noteRoute(request: FastifyRequest, route: ServedRoute | undefined): void {
  if (route !== undefined) request.about = { route: route.runtime.name, model: route.attributes.provider.model };
}

/** Sets the run of a request for its log line. A run whose end could not be recorded has failed. */
export function noteRun(request: FastifyRequest, run: Promise<Pick<RunOutcome, 'row'>>): void {
  request.run = run.then(
    ({ row }) => ({ run_id: row.run_id, outcome: row.status, usage: row.usage }),
    (error: unknown) =>
      isSvcError(error) && error.run_id !== undefined && Number(error.status) >= 500
        ? { run_id: error.run_id, outcome: 'error' }
        : null,
  );
}
