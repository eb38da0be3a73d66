import type { FastifyRequest } from 'fastify';

/** The W3C trace context of the caller (`traceparent`), for observers; null: none. */
export function traceparentOf({ headers }: FastifyRequest): string | null {
  return typeof headers.traceparent === 'string' ? headers.traceparent : null;
}
