import type { FastifyInstance } from 'fastify';

/** So long a browser need not ask again whether it may, in seconds. */
const MAX_AGE_S = 600;
/** What scripts may read beside what they may read of any answer. */
const EXPOSED = [
  'x-request-id',
  'request-id',
  'x-svc-run-id',
  'x-svc-evidence',
  'x-svc-left-out',
  'x-svc-unsupported',
  'x-svc-retry-at',
  'retry-after',
  'retry-after-ms',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
];

/**
 * Lets pages of these origins ask, with a key of their own: browsers send a gateway no cookies. Preflights are answered without a key, since
 * they have none. Loaded for who wants it.
 */
export async function useCors(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return;
  await app.register((await import('@fastify/cors')).default, {
    origin: [...origins],
    methods: ['GET', 'HEAD', 'POST', 'DELETE'],
    exposedHeaders: EXPOSED,
    maxAge: MAX_AGE_S,
    strictPreflight: false,
  });
}
