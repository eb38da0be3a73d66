import type { FastifyReply } from 'fastify';

/** Aborts when the connection closes before the answer was sent whole. Its listener goes with the answer, not with the connection. */
export function clientGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  return gone.signal;
}
