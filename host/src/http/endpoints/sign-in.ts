import { isSvcError, SvcError } from '@svc/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { acceptsHtml } from '../auth.ts';
import { asSvcError } from '../errors.ts';
import { isFromOwnOrigin, originOf } from '../own-origin.ts';
import { CallbackQuery, type PagePath, PageSession, ref, SignedOut, SignInQuery } from '../schemas.ts';
import { sessionOf, sessionToEnd } from '../session-auth.ts';
import { clearCookie, readCookie, writeCookie } from '../session-cookie.ts';
import { ATTEMPT_S, type Attempt, type SignIn } from '../sign-in.ts';
import type { Server, Surface } from '../surface.ts';

const CALLBACK = '/auth/callback';
const REDIRECT = Type.Unsafe<undefined>({ type: 'null', description: 'A redirect, in `location`.' });

/** How people sign in on the pages, with a session in a cookie. */
export function signInEndpoints(app: Server, surface: Surface): void {
  app.get(
    '/auth/session',
    {
      config: { public: true },
      schema: {
        operationId: 'getSession',
        tags: ['pages'],
        summary: 'Who is signed in on the pages, and how to',
        description: 'Requires no key. Reads the cookie `svc_session`.',
        security: [],
        response: { 200: ref(PageSession) },
      },
    },
    async (request) => {
      const { sign_in } = surface;
      const issuers = [...(sign_in?.issuers ?? [])];
      const session = sign_in === null || !isFromOwnOrigin(request) ? null : await sessionOf(request, sign_in).catch(nobody);
      if (sign_in === null || session === null) return { caller: null, csrf: null, issuers };
      const { principal_id, identity } = session.principal;
      return { caller: { principal_id, ...identity }, csrf: sign_in.csrfOf(session.id), issuers };
    },
  );

  app.get(
    '/auth/login',
    {
      config: { public: true },
      schema: {
        operationId: 'signIn',
        tags: ['pages'],
        summary: 'Send a browser to an issuer to sign in',
        description: 'Requires no key. Authorization code with PKCE; a browser comes back to `/auth/callback`.',
        security: [],
        querystring: SignInQuery,
        response: { 303: REDIRECT },
      },
    },
    async (request, reply) => {
      const { issuer, return: page } = request.query;
      try {
        const redirect_uri = new URL(CALLBACK, ownAddress(request)).href;
        const { location, attempt } = await offered(surface.sign_in).begin(issuer, redirect_uri, page);
        writeCookie(reply, 'svc_sign_in', attempt, { maxAge: ATTEMPT_S });
        return reply.redirect(location, 303);
      } catch (error) {
        return refuse(error, page, request, reply);
      }
    },
  );

  app.get(
    CALLBACK,
    {
      config: { public: true },
      schema: {
        operationId: 'completeSignIn',
        tags: ['pages'],
        summary: 'Where an issuer sends a browser back to',
        description: 'Requires no key, but the cookie of the attempt. Begins a session and redirects to the page.',
        security: [],
        querystring: CallbackQuery,
        response: { 303: REDIRECT },
      },
    },
    async (request, reply) => {
      const { sign_in } = surface;
      clearCookie(reply, 'svc_sign_in');
      const sealed = readCookie(request, 'svc_sign_in');
      const attempt = sign_in === null || sealed === null ? null : await sign_in.open(sealed);
      try {
        const id = await complete(request, attempt, offered(sign_in));
        await endFormer(request, offered(sign_in));
        writeCookie(reply, 'svc_session', id);
        return reply.redirect(attempt?.page ?? '/approvals', 303);
      } catch (error) {
        return refuse(error, attempt?.page ?? '/approvals', request, reply);
      }
    },
  );

  app.post(
    '/auth/logout',
    {
      config: { public: true, alwaysAdmitted: true },
      schema: {
        operationId: 'signOut',
        tags: ['pages'],
        summary: 'End the session',
        description:
          'Requires the cookie of the session and its token in the header `x-svc-csrf`. Without a session nothing happens.',
        security: [],
        response: { 200: ref(SignedOut) },
      },
    },
    async (request, reply) => {
      const { sign_in } = surface;
      const id = sign_in === null ? null : await sessionToEnd(request, sign_in);
      const end_session_url = id === null ? null : await offered(sign_in).end(id);
      clearCookie(reply, 'svc_session');
      return { end_session_url };
    },
  );
}

async function complete(request: FastifyRequest, attempt: Attempt | null, sign_in: SignIn): Promise<string> {
  if (attempt === null)
    throw new SvcError('SVC-AUTH-001', 'this sign-in was not begun in this browser, or more than ten minutes ago; sign in again');
  const own = ownAddress(request);
  const callback = new URL(CALLBACK, own);
  callback.search = new URL(request.url, own).search;
  return sign_in.complete(callback, attempt);
}

/** The cookie of a session is about to be replaced: nobody could end it any more. */
async function endFormer(request: FastifyRequest, sign_in: SignIn): Promise<void> {
  const former = readCookie(request, 'svc_session');
  if (former !== null) await sign_in.end(former);
}

/** Whose claims name nobody any more may sign in anew. @throws what is not that */
function nobody(error: unknown): null {
  if (isSvcError(error) && error.code === 'SVC-AUTH-001') return null;
  throw error;
}

/** @throws {SvcError} SVC-REQ-003 where people cannot sign in */
function offered(sign_in: SignIn | null): SignIn {
  if (sign_in !== null) return sign_in;
  throw new SvcError('SVC-REQ-003', 'no such path: no issuer with a client_id is configured');
}

/** @throws {SvcError} SVC-REQ-001 for a Host that is none */
function ownAddress(request: FastifyRequest): string {
  const origin = originOf(request);
  if (URL.canParse(origin)) return origin;
  throw new SvcError('SVC-REQ-001', 'the header Host is not well-formed');
}

/** A person is told by the page, which knows what to say about the code; a program by the error itself. */
function refuse(error: unknown, page: PagePath, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = asSvcError(error);
  if (!acceptsHtml(request) || known.code === 'SVC-INT-001') throw error;
  return reply.redirect(`${page}#sign-in=${known.code}`, 303);
}
