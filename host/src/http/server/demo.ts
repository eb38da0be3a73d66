import { type Clock, SvcError } from '@svc/contracts';
import type { FastifyInstance } from 'fastify';
import { networkOf } from '../visitor.ts';
import { VisitorQuota } from './visitor-quota.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the endpoint calls a model or writes. If so, requests count against the visitor's quota with `--demo`. */
    metered?: boolean;
  }
}

const REQUESTS = 30;
const WINDOW_MS = 60_000;

/**
 * `--demo`: allows each visitor (a principal at an address) 30 requests a minute to endpoints that call a model or write. The quota is reported in
 * the headers of draft-ietf-httpapi-ratelimit-headers-03, which clients know. Further requests are refused before their body is read.
 */
export function useDemoQuota(app: FastifyInstance, clock: Clock): void {
  const quota = new VisitorQuota(REQUESTS, WINDOW_MS, clock);
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.metered !== true) return done();
    const { granted, limit, remaining, reset_s } = quota.take(
      `${request.principal?.principal_id ?? ''} ${networkOf(request.ip)}`,
    );
    reply.headers({ 'ratelimit-limit': limit, 'ratelimit-remaining': remaining, 'ratelimit-reset': reset_s });
    if (granted) return done();
    throw new SvcError('SVC-RATE-001', `the demo allows each visitor ${limit} requests per minute; try again in ${reset_s} s`, {
      retry_after_s: reset_s,
    });
  });
}
