import type { FastifyReply } from 'fastify';

/** Aborts when the connection closes before the answer was sent whole. Its listener goes with the answer, not with the connection. */
export function clientGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  const closed = (): void => {
    if (!reply.raw.writableFinished) gone.abort();
  };
  // It may have closed before: while the body was read, or a hook waited.
  if (reply.raw.closed) closed();
  else reply.raw.once('close', closed);
  return gone.signal;
}
