import type { FastifyRequest } from 'fastify';

/** The caller's W3C trace context (`traceparent`), for observers. Null: none. */
export function traceparentOf({ headers }: FastifyRequest): string | null {
  return typeof headers.traceparent === 'string' ? headers.traceparent : null;
}
