import { type Door, SvcError } from '@svc/contracts';
import type { OperationalStates } from '@svc/runtime/records';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AssertStill } from './assert-still.ts';
import { hasRole, isForNamespace, isForRoute, type KeyRing, type Principal, type Role } from './key-ring.ts';
import type { KeyUses } from './key-uses.ts';
import type { Page } from './pages.ts';
import { READS, sessionOf } from './session-auth.ts';
import type { SignIn } from './sign-in.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for every request that passed authentication. */
    principal: Principal | null;
  }
  interface FastifyContextConfig {
    /** The caller needs one of these roles ({@link requireRole}). Required unless the endpoint is `public` or a `probe`. */
    roles?: readonly Role[];
    /** Answers without a key. */
    public?: boolean;
    /** Reveals nothing: answers without a key, under any Host, also with `--no-auth`. */
    probe?: boolean;
    /** Takes the key as `x-api-key` too, as clients of Anthropic's API send it. */
    takesApiKey?: boolean;
    /** Set by a protocol plugin: where else the key may be. */
    door?: Door;
    /** The response to a browser without a key: a page to sign in, or (`null`) the redirect of the handler, which reveals nothing. */
    signInPage?: Page | null;
  }
}

const ANONYMOUS: Principal = {
  principal_id: 'anonymous',
  routes: null,
  roles: null,
  team: null,
  identity: null,
  namespaces: null,
  key_id: null,
};

/** Checks JSON Web Tokens. */
export interface TokenIssuers {
  /** @throws {SvcError} SVC-AUTH-001 for an invalid token, SVC-AUTH-004 if the token cannot be checked */
  principalOf(token: string): Promise<Principal>;
}

export type Authentication =
  /** `current` null: only keys are accepted; `sign_in` null: no sessions. Both may change between two requests. */
  | {
      readonly kind: 'keys';
      readonly ring: KeyRing;
      readonly uses: KeyUses;
      readonly issuers: { readonly current: TokenIssuers | null; readonly sign_in: SignIn | null };
    }
  /** `--no-auth`. */
  | { readonly kind: 'none'; readonly allowed_hosts: readonly string[] };

/**
 * Authenticates every request before its body is read, including requests for unknown paths. A disabled principal is refused. A request that may
 * change something is checked again when its body has arrived.
 */
export function useAuthentication(
  app: FastifyInstance,
  authentication: Authentication,
  { states, assertStill }: { readonly states: OperationalStates; readonly assertStill: AssertStill },
): void {
  app.decorateRequest('principal', null);
  app.addHook('onRoute', ({ url, config = {} }) => {
    if (config.roles === undefined && !config.public && !config.probe) throw new Error(`${url} declares no roles`);
  });
  const admit = (request: FastifyRequest, principal: Principal): void => {
    request.principal = principal;
    states.assertPrincipal(principal.principal_id);
  };
  app.addHook('onRequest', (request, reply, done) => {
    const { config } = request.routeOptions;
    if (config.probe || (config.public && authentication.kind === 'keys')) return done();
    const page = config.signInPage;
    const signsIn = authentication.kind === 'keys' && request.headers.authorization === undefined && acceptsHtml(request);
    if (page !== undefined && signsIn) {
      // The page is the response: no further hook runs.
      if (page === null) done();
      else sendPage(reply.code(401).header('www-authenticate', 'Bearer'), page);
      return;
    }
    const found = authenticate(request, authentication);
    if (found instanceof Promise) {
      found.then((principal) => admit(request, principal)).then(() => done(), done);
    } else {
      admit(request, found);
      done();
    }
  });
  // A body may take a minute.
  app.addHook('preHandler', ({ principal, method }, _reply, done) => {
    const asked = principal === null || READS.includes(method) ? undefined : assertStill(principal);
    if (asked === undefined) done();
    else asked.then(() => done(), done);
  });
}

const TOKEN_FORM = /^bearer ([\w-]+\.[\w-]+\.[\w-]*)$/i;

/**
 * The caller; a promise only for a JSON Web Token or a session. A session counts only if no other credential is sent.
 * @throws {SvcError} SVC-AUTH-001, SVC-AUTH-004; SVC-AUTH-002 for a session from a foreign origin, and for a foreign origin or Host without authentication
 */
export function authenticate(request: FastifyRequest, authentication: Authentication): Principal | Promise<Principal> {
  if (authentication.kind === 'none') {
    assertLocal(request, authentication.allowed_hosts);
    return ANONYMOUS;
  }
  const { ring, uses } = authentication;
  const credential = credentialOf(request);
  const principal = ring.find(credential);
  if (principal !== null) {
    if (principal.key_id !== null) uses.note(principal.key_id);
    return principal;
  }
  const { current: issuers, sign_in } = authentication.issuers;
  if (credential === undefined && sign_in !== null && request.headers.cookie !== undefined) return signedIn(request, sign_in);
  const [, token] = (issuers !== null && TOKEN_FORM.exec(credential ?? '')) || [];
  if (issuers !== null && token !== undefined) return issuers.principalOf(token);
  throw unknownKey();
}

function unknownKey(): SvcError {
  return new SvcError('SVC-AUTH-001', 'missing or unknown key; send the header Authorization: Bearer svc-…');
}

async function signedIn(request: FastifyRequest, sign_in: SignIn): Promise<Principal> {
  const session = await sessionOf(request, sign_in);
  if (session === null) throw unknownKey();
  return session.principal;
}

function credentialOf(request: FastifyRequest): string | undefined {
  const { door } = request.routeOptions.config;
  if (door !== undefined && request.headers.authorization === undefined) return keyAt(door, request);
  const { authorization, 'x-api-key': key } = request.headers;
  if (authorization !== undefined || typeof key !== 'string') return authorization;
  // A caller with a key learns that a path is not served, and nothing else.
  return request.routeOptions.config.takesApiKey === true || request.is404 ? `Bearer ${key}` : undefined;
}

function keyAt({ key: { header, query } }: Door, request: FastifyRequest): string | undefined {
  const asked = query === null ? undefined : (request.query as Readonly<Record<string, unknown>>)[query];
  const key = request.headers[header] ?? asked;
  return typeof key === 'string' ? `Bearer ${key}` : undefined;
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

export function acceptsHtml(request: FastifyRequest): boolean {
  return (request.headers.accept ?? '').includes('text/html');
}

/** The caller. @param roles default: those of the endpoint @throws {SvcError} SVC-AUTH-002 unless the caller has one of the roles */
export function requireRole(request: FastifyRequest, roles = request.routeOptions.config.roles ?? []): Principal {
  const { principal } = request;
  if (principal === null) throw new SvcError('SVC-AUTH-001', 'missing or unknown key');
  if (hasRole(principal, ...roles)) return principal;
  throw new SvcError('SVC-AUTH-002', `the key does not have the role ${roles.join(' or ')}`);
}

/** @throws {SvcError} SVC-AUTH-002 unless the caller may use this route */
export function requireRoute(principal: Principal, route: string): void {
  if (isForRoute(principal, route)) return;
  throw new SvcError('SVC-AUTH-002', 'the key does not allow this route');
}

/** @throws {SvcError} SVC-AUTH-002 unless the key may use this retrieval namespace */
export function requireNamespace(principal: Principal, namespace: string): void {
  if (isForNamespace(principal, namespace)) return;
  throw new SvcError('SVC-AUTH-002', 'the key does not allow this namespace');
}
