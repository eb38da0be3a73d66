import { randomUUID } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { isAnthropicClient } from '../anthropic-client.ts';

/** A name for one request, of the gateway's own making: what a client sends may be anything. It also stands in the request's log line. */
export const newRequestId = (): string => randomUUID();

/** On every answer, those included that no hook sees. */
export function nameRequest(reply: FastifyReply): void {
  const { request } = reply;
  reply.header('x-request-id', request.id);
  // Clients of Anthropic's API look for it under this name.
  if (isAnthropicClient(request)) reply.header('request-id', request.id);
}
