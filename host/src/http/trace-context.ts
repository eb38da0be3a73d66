import type { FastifyRequest } from 'fastify';

/** The W3C trace context that a caller sent (`traceparent`), for whoever observes; null where there is none. */
export function traceparentOf({ headers }: FastifyRequest): string | null {
  return typeof headers.traceparent === 'string' ? headers.traceparent : null;
}
