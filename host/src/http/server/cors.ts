import type { FastifyInstance } from 'fastify';

/** Seconds for which a browser may cache a preflight response. */
const MAX_AGE_S = 600;
/** Headers that scripts may read, in addition to the safelisted ones. */
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
 * Allows pages of these origins to send requests with an API key. Browsers then send no cookies to the gateway. Preflight requests need no key.
 * Loaded on demand.
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
