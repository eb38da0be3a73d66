import { randomUUID } from 'node:crypto';
import type { FastifyReply } from 'fastify';

/** A name for one request, of the gateway's own making: what a client sends may be anything. It also stands in the request's log line. */
export const newRequestId = (): string => randomUUID();

/** On every answer, those included that no hook sees. */
export function nameRequest(reply: FastifyReply): void {
  reply.header('x-request-id', reply.request.id);
}
