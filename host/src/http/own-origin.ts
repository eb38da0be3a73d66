import type { FastifyRequest } from 'fastify';

/** Scheme, host and port as the browser sees them or, with `server.trust_proxy`, as the proxy reports them. */
export function originOf({ protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>): string {
  return `${protocol}://${host}`;
}

/** Whether the browser reports that the request came from a page of the gateway or from the address bar. */
export function isFromOwnOrigin(request: FastifyRequest): boolean {
  const { origin, 'sec-fetch-site': site = 'same-origin' } = request.headers;
  return (origin === undefined || origin === originOf(request)) && (site === 'same-origin' || site === 'none');
}
