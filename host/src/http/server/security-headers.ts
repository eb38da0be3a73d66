import type { FastifyInstance } from 'fastify';

/** Headers of every answer; a page's own Content-Security-Policy is part of its file. */
export function usePageHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
    done();
  });
}
