import { parseCookie, type SetCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** `svc_session`: the id of a session; `svc_sign_in`: a sign-in attempt. */
type CookieName = 'svc_session' | 'svc_sign_in';

/** Null: the request has no such cookie. */
export function readCookie(request: FastifyRequest, name: CookieName): string | null {
  const { cookie } = request.headers;
  return cookie === undefined ? null : (parseCookie(cookie)[nameOf(request, name)] ?? null);
}

/** For this host only, hidden from scripts, and sent from other sites only when a link is followed. */
export function writeCookie(reply: FastifyReply, name: CookieName, value: string, more: Pick<SetCookie, 'maxAge'> = {}): void {
  const { request } = reply;
  const where = { name: nameOf(request, name), path: '/', httpOnly: true, secure: isSecure(request), sameSite: 'lax' } as const;
  reply.header('set-cookie', stringifySetCookie({ ...where, value, ...more }));
}

export function clearCookie(reply: FastifyReply, name: CookieName): void {
  writeCookie(reply, name, '', { maxAge: 0 });
}

/** The prefix keeps other hosts of the domain from setting it (RFC 6265bis, section 4.1.3.2). */
function nameOf(request: FastifyRequest, name: CookieName): string {
  return isSecure(request) ? `__Host-${name}` : name;
}

function isSecure({ protocol }: FastifyRequest): boolean {
  return protocol === 'https';
}
