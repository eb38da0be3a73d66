import { SvcError } from '@svc/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hasRole, isForRoute, type KeyRing, type Principal, type Role } from './key-ring.ts';
import type { KeyUses } from './key-uses.ts';
import type { Page } from './pages.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for every request that passed authentication. */
    principal: Principal | null;
  }
  interface FastifyContextConfig {
    /** Answers without a key. */
    public?: boolean;
    /** Takes the key as `x-api-key` too, as clients of Anthropic's API send it. */
    takesApiKey?: boolean;
    /** What a browser without a key gets: a page that signs in, or (`null`) the handler's own redirect, which tells nothing. */
    signInPage?: Page | null;
  }
}

const ANONYMOUS: Principal = { principal_id: 'anonymous', routes: null, roles: null, team: null, key_id: null };

export type Authentication =
  | { readonly kind: 'keys'; readonly ring: KeyRing; readonly uses: KeyUses }
  /** `--no-auth`. */
  | { readonly kind: 'none'; readonly allowed_hosts: readonly string[] };

/** Authenticates every request before its body is read, those for unknown paths too. */
export function useAuthentication(app: FastifyInstance, authentication: Authentication): void {
  app.decorateRequest('principal', null);
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.public && authentication.kind === 'keys') return done();
    const page = request.routeOptions.config.signInPage;
    const signsIn = authentication.kind === 'keys' && request.headers.authorization === undefined && acceptsHtml(request);
    if (page === undefined || !signsIn) request.principal = authenticate(request, authentication);
    else if (page !== null) {
      // Answered: nothing further is to happen.
      sendPage(reply.code(401).header('www-authenticate', 'Bearer'), page);
      return;
    }
    done();
  });
}

/** @throws {SvcError} SVC-AUTH-001, or SVC-AUTH-002 for a foreign origin where keys are not asked for */
export function authenticate(request: FastifyRequest, authentication: Authentication): Principal {
  if (authentication.kind === 'none') {
    assertLocal(request, authentication.allowed_hosts);
    return ANONYMOUS;
  }
  const principal = authentication.ring.find(request.headers.authorization ?? apiKeyOf(request));
  if (principal === null)
    throw new SvcError('SVC-AUTH-001', 'missing or unknown key; send the header Authorization: Bearer svc-…');
  if (principal.key_id !== null) authentication.uses.note(principal.key_id);
  return principal;
}

function apiKeyOf({ headers, routeOptions }: FastifyRequest): string | undefined {
  const key = headers['x-api-key'];
  return routeOptions.config.takesApiKey === true && typeof key === 'string' ? `Bearer ${key}` : undefined;
}

export function sendPage(reply: FastifyReply, { html, policy }: Page): FastifyReply {
  return reply.header('content-security-policy', policy).type('text/html; charset=utf-8').send(html);
}

/** Without keys any page in the operator's browser could call the gateway: foreign origins and rebound names are refused. */
function assertLocal(request: FastifyRequest, allowed: readonly string[]): void {
  const { origin, host = '' } = request.headers;
  const foreign = origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`;
  const rebound = !allowed.includes(host.toLowerCase().replace(/:\d*$/, ''));
  if (foreign || rebound) {
    throw new SvcError('SVC-AUTH-002', 'without authentication, only same-origin requests to an allowed Host are accepted');
  }
}

function acceptsHtml(request: FastifyRequest): boolean {
  return (request.headers.accept ?? '').includes('text/html');
}

/** The caller. @throws {SvcError} SVC-AUTH-002 unless the key has one of the roles */
export function requireRole(request: FastifyRequest, ...roles: readonly [Role, ...Role[]]): Principal {
  const { principal } = request;
  if (principal === null) throw new SvcError('SVC-AUTH-001', 'missing or unknown key');
  if (hasRole(principal, ...roles)) return principal;
  throw new SvcError('SVC-AUTH-002', `this key does not have the role ${roles.join(' or ')}`);
}

/** @throws {SvcError} SVC-AUTH-002 unless the key is for this route */
export function requireRoute(principal: Principal, route: string): void {
  if (isForRoute(principal, route)) return;
  throw new SvcError('SVC-AUTH-002', 'this key is not valid for this route');
}
