import { isSvcError, type RunStatus } from '@svc/contracts';
import type { RunOutcome } from '@svc/kernel';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { ServedRoute } from './surface.ts';
import { addressOf } from './visitor.ts';

/** A run, as the line of the request that made or decided it has it. */
interface LoggedRun {
  readonly run_id: string;
  readonly outcome: RunStatus;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Asked every few seconds by a machine: its lines in the log are of level debug. */
    quiet?: boolean;
  }
  interface FastifyRequest {
    /** What it is about, as configured; null where it names none that there is. */
    about: { readonly route: string; readonly model: string } | null;
    /** The run that it made or decided, when that has ended or waits; null: none. Never rejects. */
    run: Promise<LoggedRun | null> | null;
  }
}

/**
 * One line for each request that was answered, or whose caller left before. It waits for the outcome of the request's run. Fields by name
 * only: a header, a query or a body may hold what should not be logged.
 */
export function useRequestLog(app: FastifyInstance, logger: Logger): void {
  app.decorateRequest('about', null);
  app.decorateRequest('run', null);
  app.addHook('onRequest', (request, reply, done) => {
    // The socket of a caller who left has no address when the response closes.
    const address = addressOf(request.ip);
    reply.raw.once('close', () => {
      const write = lineOf(request, reply, address, logger);
      if (request.run === null) write(null);
      else void request.run.then(write);
    });
    done();
  });
}

/** Takes the fields as they are now, and writes them with those of the run. */
function lineOf(
  request: FastifyRequest,
  reply: FastifyReply,
  address: string | null,
  logger: Logger,
): (run: LoggedRun | null) => void {
  const { id, method, routeOptions, principal, about } = request;
  const level = routeOptions.config.quiet ? 'debug' : 'info';
  const status = reply.raw.headersSent ? reply.statusCode : null;
  const run_id = reply.getHeader('x-svc-run-id') ?? null;
  const duration_ms = Math.round(reply.elapsedTime);
  return (run) =>
    logger[level]({
      event: 'request',
      request_id: id,
      method,
      // The pattern, not the address.
      path: routeOptions.url ?? null,
      status,
      address,
      principal_id: principal?.principal_id ?? null,
      route: about?.route ?? null,
      model: about?.model ?? null,
      run_id: run_id ?? run?.run_id ?? null,
      outcome: run?.outcome ?? null,
      duration_ms,
    });
}

/** Says which route a request is about, for its line in the log. @param route undefined: none that is configured now */
export function noteRoute(request: FastifyRequest, route: ServedRoute | undefined): void {
  if (route !== undefined) request.about = { route: route.runtime.name, model: route.attributes.provider.model };
}

/** Says which run a request works on, for its line in the log. One whose end could not be recorded has failed. */
export function noteRun(request: FastifyRequest, run: Promise<Pick<RunOutcome, 'row'>>): void {
  request.run = run.then(
    ({ row }) => ({ run_id: row.run_id, outcome: row.status }),
    (error: unknown) =>
      isSvcError(error) && error.run_id !== undefined && Number(error.status) >= 500
        ? { run_id: error.run_id, outcome: 'error' }
        : null,
  );
}
