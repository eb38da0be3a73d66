import { timingSafeEqual } from 'node:crypto';
import { SvcError } from '@svc/contracts';
import type { FastifyRequest } from 'fastify';
import { isFromOwnOrigin } from './own-origin.ts';
import { readCookie } from './session-cookie.ts';
import type { Person, SignIn } from './sign-in.ts';

/** Methods that change nothing. */
export const READS: readonly string[] = ['GET', 'HEAD'];

/** A person who signed in on the pages. */
interface Session {
  readonly id: string;
  readonly principal: Person;
}

/**
 * The session of a request from the gateway's own pages; null: no session cookie, or the session has ended.
 * @throws {SvcError} SVC-AUTH-002 for another origin, and for a change without the session's token; SVC-AUTH-001 if
 * the claims no longer name a principal
 */
export async function sessionOf(request: FastifyRequest, sign_in: SignIn): Promise<Session | null> {
  const id = ownCookie(request);
  const principal = id === null ? null : await sign_in.find(id);
  if (id === null || principal === null) return null;
  if (READS.includes(request.method) || hasToken(request, id, sign_in)) return { id, principal };
  throw new SvcError('SVC-AUTH-002', 'the header x-svc-csrf does not match the session; reload the page');
}

/**
 * Id of the session that a request may end, even if its claims no longer name a principal; null: none.
 * @throws {SvcError} as {@link sessionOf}, if the request lacks the session's token
 */
export async function sessionToEnd(request: FastifyRequest, sign_in: SignIn): Promise<string | null> {
  const id = ownCookie(request);
  if (id !== null && hasToken(request, id, sign_in)) return id;
  return (await sessionOf(request, sign_in))?.id ?? null;
}

function ownCookie(request: FastifyRequest): string | null {
  const id = readCookie(request, 'svc_session');
  if (id === null || isFromOwnOrigin(request)) return id;
  throw new SvcError('SVC-AUTH-002', 'a session can be used only from the pages of this gateway; use an API key elsewhere');
}

function hasToken({ headers }: FastifyRequest, id: string, sign_in: SignIn): boolean {
  return isSame(headers['x-svc-csrf'], sign_in.csrfOf(id));
}

function isSame(sent: unknown, expected: string): boolean {
  if (typeof sent !== 'string') return false;
  const [a, b] = [Buffer.from(sent), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
