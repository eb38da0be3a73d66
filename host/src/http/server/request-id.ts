import { randomUUID } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { isAnthropicClient } from '../anthropic-client.ts';

/** The id of a request. The gateway generates it, because an id from a client could be anything. It is also in the log line of the request. */
export const newRequestId = (): string => randomUUID();

/** Sets the id on every response, even if no hook runs for it. */
export function nameRequest(reply: FastifyReply): void {
  const { request } = reply;
  reply.header('x-request-id', request.id);
  // Clients of Anthropic's API look for the id under this name.
  if (isAnthropicClient(request)) reply.header('request-id', request.id);
}
