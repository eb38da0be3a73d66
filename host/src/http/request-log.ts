import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { ServedRoute } from './surface.ts';
import { addressOf } from './visitor.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What it is about, as configured; null where it names none that there is. */
    about: { readonly route: string; readonly model: string } | null;
  }
}

/** One line for each answered request; those of probes, which come every second, are of level debug. Fields by name only: a header, a query or a body may hold what should not be logged. */
export function useRequestLog(app: FastifyInstance, logger: Logger): void {
  app.decorateRequest('about', null);
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions, principal, about, ip } = request;
    logger[routeOptions.config.probe ? 'debug' : 'info']({
      event: 'request',
      request_id: request.id,
      method,
      // The pattern, not the address.
      path: routeOptions.url ?? null,
      status: reply.statusCode,
      address: addressOf(ip),
      principal_id: principal?.principal_id ?? null,
      route: about?.route ?? null,
      model: about?.model ?? null,
      run_id: reply.getHeader('x-svc-run-id') ?? null,
      duration_ms: Math.round(reply.elapsedTime),
    });
    done();
  });
}

/** Says which route a request is about, for its line in the log. @param route undefined: none that is configured now */
export function noteRoute(request: FastifyRequest, route: ServedRoute | undefined): void {
  if (route !== undefined) request.about = { route: route.runtime.name, model: route.attributes.provider.model };
}
