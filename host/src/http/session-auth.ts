import { timingSafeEqual } from 'node:crypto';
import { SvcError } from '@svc/contracts';
import type { FastifyRequest } from 'fastify';
import { isFromOwnOrigin } from './own-origin.ts';
import { readCookie } from './session-cookie.ts';
import type { Session, SignIn } from './sign-in.ts';

/** Methods that change nothing. */
export const READS: readonly string[] = ['GET', 'HEAD'];

/**
 * The session of a request of the gateway's own pages; null: it has no cookie of one, or only one that has ended.
 * @throws {SvcError} SVC-AUTH-002 for another origin, and for what changes something without the session's token
 */
export async function sessionOf(request: FastifyRequest, sign_in: SignIn): Promise<(Session & { id: string }) | null> {
  const id = readCookie(request, 'svc_session');
  if (id === null) return null;
  if (!isFromOwnOrigin(request)) throw new SvcError('SVC-AUTH-002', 'a session is for the pages of this gateway only');
  const session = await sign_in.find(id);
  if (session !== null && !READS.includes(request.method) && !isSame(request.headers['x-svc-csrf'], session.csrf))
    throw new SvcError('SVC-AUTH-002', 'the header x-svc-csrf does not have the token of the session');
  return session === null ? null : { ...session, id };
}

function isSame(sent: unknown, expected: string): boolean {
  if (typeof sent !== 'string') return false;
  const [a, b] = [Buffer.from(sent), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
