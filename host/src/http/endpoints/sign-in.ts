import { isSvcError, SvcError } from '@svc/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { acceptsHtml } from '../auth.ts';
import { json, issuer as sampleIssuer } from '../description/samples.ts';
import { asSvcError } from '../errors.ts';
import { isFromOwnOrigin, originOf } from '../own-origin.ts';
import { eg, PAGE_PATHS, type PagePath, PageSession, ref, SignedOut } from '../schemas.ts';
import { sessionOf, sessionToEnd } from '../session-auth.ts';
import { clearCookie, readCookie, writeCookie } from '../session-cookie.ts';
import { ATTEMPT_S, type Attempt, type SignIn } from '../sign-in.ts';
import type { Server } from '../typed-server.ts';

const CALLBACK = '/auth/callback';
const REDIRECT = Type.Unsafe<undefined>({ type: 'null', description: 'A redirect to `location`.' });

const SignInQuery = Type.Object({
  issuer: Type.String({ description: 'One of the `issuers` in `/auth/session`.', ...eg(sampleIssuer) }),
  return: Type.Enum([...PAGE_PATHS], { default: '/approvals', description: 'The page to return to.', ...eg('/approvals') }),
});
const given = (description: string, example: string) => Type.Optional(Type.String({ description, ...eg(example) }));
/** RFC 6749, section 4.1.2, and RFC 9207. Other parameters of an issuer are ignored. */
const CallbackQuery = Type.Object({
  code: given('Authorization code.', 'SplxlOBeZQQYbYS6WxSbIA'),
  state: given('The value that was sent to the issuer.', 'af0ifjsldkj'),
  error: given("The issuer's error code for a failed sign-in.", 'access_denied'),
  iss: given('The issuer that redirects.', sampleIssuer),
});

/** People sign in on the pages and get a session in a cookie. @param issuers `sign_in` null: the pages take keys only */
export function signInEndpoints(app: Server, issuers: { readonly sign_in: SignIn | null }): void {
  app.get(
    '/auth/session',
    {
      config: {
        public: true,
        errors: ['SVC-AUTH-001', 'SVC-AUTH-002', 'SVC-STORE-001'],
        example: {
          response: json({
            caller: { principal_id: 'ada', issuer: sampleIssuer, subject: 'ada' },
            csrf: 'wnu9Yg2NXr9fNuAMJONygn5YbebXNTXQ7EZREVV3TC8',
            issuers: [sampleIssuer],
          }),
        },
      },
      schema: {
        operationId: 'getSession',
        tags: ['pages'],
        summary: 'Get the signed-in person, and the issuers to sign in with',
        description: 'Requires no key. Reads the cookie `svc_session`.',
        response: { 200: ref(PageSession) },
      },
    },
    async (request) => {
      const { sign_in } = issuers;
      const offers = [...(sign_in?.issuers ?? [])];
      const session = sign_in === null || !isFromOwnOrigin(request) ? null : await sessionOf(request, sign_in).catch(nobody);
      if (sign_in === null || session === null) return { caller: null, csrf: null, issuers: offers };
      const { principal_id, identity } = session.principal;
      return { caller: { principal_id, ...identity }, csrf: sign_in.csrfOf(session.id), issuers: offers };
    },
  );

  app.get(
    '/auth/login',
    {
      config: { public: true, errors: ['SVC-REQ-003', 'SVC-AUTH-004'], example: { response: {} } },
      schema: {
        operationId: 'signIn',
        tags: ['pages'],
        summary: 'Redirect a browser to an issuer to sign in',
        description: 'Requires no key. Authorization code flow with PKCE. The issuer redirects the browser to `/auth/callback`.',
        querystring: SignInQuery,
        response: { 303: REDIRECT },
      },
    },
    async (request, reply) => {
      const { issuer, return: page } = request.query;
      try {
        const redirect_uri = new URL(CALLBACK, ownAddress(request)).href;
        const { location, attempt } = await offered(issuers.sign_in).begin(issuer, redirect_uri, page);
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
      config: {
        public: true,
        errors: ['SVC-REQ-003', 'SVC-AUTH-001', 'SVC-AUTH-004', 'SVC-STORE-001'],
        example: { response: {} },
      },
      schema: {
        operationId: 'completeSignIn',
        tags: ['pages'],
        summary: 'Complete a sign-in',
        description:
          'An issuer redirects browsers here. Requires the cookie set by `/auth/login`, but no key. Starts a session and redirects to the page.',
        querystring: CallbackQuery,
        response: { 303: REDIRECT },
      },
    },
    async (request, reply) => {
      const { sign_in } = issuers;
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
      config: {
        public: true,
        alwaysAdmitted: true,
        errors: ['SVC-AUTH-001', 'SVC-AUTH-002', 'SVC-STORE-001'],
        example: { response: json({ end_session_url: `${sampleIssuer}/session/end?client_id=svc` }) },
      },
      schema: {
        operationId: 'signOut',
        tags: ['pages'],
        summary: 'End the session',
        description:
          'Requires the cookie of the session and its token in the header `x-svc-csrf`. Without a session, nothing happens.',
        response: { 200: ref(SignedOut) },
      },
    },
    async (request, reply) => {
      const { sign_in } = issuers;
      const id = sign_in === null ? null : await sessionToEnd(request, sign_in);
      const end_session_url = id === null ? null : await offered(sign_in).end(id);
      clearCookie(reply, 'svc_session');
      return { end_session_url };
    },
  );
}

async function complete(request: FastifyRequest, attempt: Attempt | null, sign_in: SignIn): Promise<string> {
  if (attempt === null)
    throw new SvcError(
      'SVC-AUTH-001',
      'this sign-in was not started in this browser, or was started more than ten minutes ago; sign in again',
    );
  const own = ownAddress(request);
  const callback = new URL(CALLBACK, own);
  callback.search = new URL(request.url, own).search;
  return sign_in.complete(callback, attempt);
}

/** Ends the previous session: its cookie is about to be replaced. */
async function endFormer(request: FastifyRequest, sign_in: SignIn): Promise<void> {
  const former = readCookie(request, 'svc_session');
  if (former !== null) await sign_in.end(former);
}

/** Null if the session's claims no longer name a principal: the person may sign in again. @throws any other error */
function nobody(error: unknown): null {
  if (isSvcError(error) && error.code === 'SVC-AUTH-001') return null;
  throw error;
}

/** @throws {SvcError} SVC-REQ-003 if no issuer is configured to sign in with */
function offered(sign_in: SignIn | null): SignIn {
  if (sign_in !== null) return sign_in;
  throw new SvcError('SVC-REQ-003', 'no such path: sign-in needs an issuer with a client_id in auth.oidc');
}

/** @throws {SvcError} SVC-REQ-001 for an invalid Host */
function ownAddress(request: FastifyRequest): string {
  const origin = originOf(request);
  if (URL.canParse(origin)) return origin;
  throw new SvcError('SVC-REQ-001', 'the header Host is malformed');
}

/** Redirects a browser to the page, which explains the code. Other clients get the error. */
function refuse(error: unknown, page: PagePath, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = asSvcError(error);
  if (!acceptsHtml(request) || known.code === 'SVC-INT-001') throw error;
  return reply.redirect(`${page}#sign-in=${known.code}`, 303);
}
