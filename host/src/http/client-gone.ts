import type { FastifyReply } from 'fastify';

/** Aborts when the connection closes before the whole response was sent. Its listener is removed with the response. */
export function clientGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  const closed = (): void => {
    if (!reply.raw.writableFinished) gone.abort();
  };
  // The connection may have closed already, while the body was read or a hook waited.
  if (reply.raw.closed) closed();
  else reply.raw.once('close', closed);
  return gone.signal;
}
