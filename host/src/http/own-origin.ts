import type { FastifyRequest } from 'fastify';

/** Scheme, host and port as the browser sees them, behind a proxy as that tells with `server.trust_proxy`. */
export function originOf({ protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>): string {
  return `${protocol}://${host}`;
}

/** Whether a page of the gateway asks, or the person in the address bar; as far as the browser tells. */
export function isFromOwnOrigin(request: FastifyRequest): boolean {
  const { origin, 'sec-fetch-site': site = 'same-origin' } = request.headers;
  return (origin === undefined || origin === originOf(request)) && (site === 'same-origin' || site === 'none');
}
