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
    /** Answers without a key. */
    public?: boolean;
    /** Tells nothing: answers without a key, under any Host, also with `--no-auth`. */
    probe?: boolean;
    /** Takes the key as `x-api-key` too, as clients of Anthropic's API send it. */
    takesApiKey?: boolean;
    /** Of a protocol from outside: it says where else the key comes. */
    door?: Door;
    /** What a browser without a key gets: a page that signs in, or (`null`) the handler's own redirect, which tells nothing. */
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

/** Who checks JSON Web Tokens. */
export interface TokenIssuers {
  /** @throws {SvcError} SVC-AUTH-001 for a token that is not valid, SVC-AUTH-004 if that cannot be found out */
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
 * Authenticates every request before its body is read, those for unknown paths too. A disabled principal gets nothing further. What is no read is
 * looked at again with its body there.
 */
export function useAuthentication(
  app: FastifyInstance,
  authentication: Authentication,
  { states, assertStill }: { readonly states: OperationalStates; readonly assertStill: AssertStill },
): void {
  app.decorateRequest('principal', null);
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
      // Answered: nothing further is to happen.
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
 * The caller; a promise only for a JSON Web Token or a session. A session counts only where nothing else is sent.
 * @throws {SvcError} SVC-AUTH-001, SVC-AUTH-004, or SVC-AUTH-002 for a foreign origin of a session, or where keys are not asked for
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
  // On a path that is not served, a caller with a key learns only that.
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

/** The caller. @throws {SvcError} SVC-AUTH-002 unless the caller has one of the roles */
export function requireRole(request: FastifyRequest, ...roles: readonly [Role, ...Role[]]): Principal {
  const { principal } = request;
  if (principal === null) throw new SvcError('SVC-AUTH-001', 'missing or unknown key');
  if (hasRole(principal, ...roles)) return principal;
  throw new SvcError('SVC-AUTH-002', `the caller does not have the role ${roles.join(' or ')}`);
}

/** @throws {SvcError} SVC-AUTH-002 unless the caller may use this route */
export function requireRoute(principal: Principal, route: string): void {
  if (isForRoute(principal, route)) return;
  throw new SvcError('SVC-AUTH-002', 'the caller may not use this route');
}

/** @throws {SvcError} SVC-AUTH-002 unless the key is for this namespace of retrieval */
export function requireNamespace(principal: Principal, namespace: string): void {
  if (isForNamespace(principal, namespace)) return;
  throw new SvcError('SVC-AUTH-002', 'this key is not valid for this namespace');
}
