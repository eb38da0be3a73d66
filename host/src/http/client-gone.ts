import type { FastifyRequest } from 'fastify';

/** Aborts when the client closes the connection before it was answered. */
export function clientGone(request: FastifyRequest): AbortSignal {
  const gone = new AbortController();
  request.raw.socket.once('close', () => gone.abort());
  return gone.signal;
}
