import { SvcError } from '@svc/contracts';
import type { JWTPayload } from 'jose';
import type { OidcIssuer } from '../config/index.ts';
import type { Person } from '../http/sign-in.ts';

type Mapping = Pick<OidcIssuer, 'issuer' | 'principal' | 'principal_prefix' | 'roles' | 'routes' | 'rag' | 'team' | 'groups'>;

/** The form that principals and teams have in the configuration, so that no name can be mistaken for another. */
const NAME = /^[A-Za-z0-9._@:+-]{1,128}$/;
/** OpenID Connect Core 1.0, section 2: at most 255 ASCII characters. */
const SUBJECT = /^[\x20-\x7e]{1,255}$/;

/**
 * The caller that the claims of a verified token name.
 * @throws {SvcError} SVC-AUTH-001 for a claim that names no one
 */
export function principalOf(claims: JWTPayload, { issuer, principal, principal_prefix = '', ...maps }: Mapping): Person {
  const named = principal === 'email' ? addressOf(claims) : claimOf(claims, principal);
  const principal_id = `${principal_prefix}${typeof named === 'string' ? named : ''}`;
  const isNamed = typeof named === 'string' && named !== '' && NAME.test(principal_id);
  if (!isNamed) throw invalidToken(`the token's claim ${principal} is not a valid principal`);
  const { sub } = claims;
  if (typeof sub !== 'string' || !SUBJECT.test(sub)) throw invalidToken("the token's claim sub is missing or invalid");
  const { roles, routes, rag } = maps;
  return {
    principal_id,
    roles: mapped(claims, roles.claim, roles.map),
    routes: routes === undefined ? null : mapped(claims, routes.claim, routes.map),
    namespaces: rag === undefined ? null : mapped(claims, rag.claim, rag.map),
    team: teamOf(claims, maps.team),
    ...(maps.groups === undefined ? {} : { groups: mapped(claims, maps.groups.claim, maps.groups.map) }),
    identity: { issuer, subject: sub },
    key_id: null,
  };
}

/** The e-mail address. Some issuers let users state any address, so it must be verified. Upper and lower case do not distinguish people. */
function addressOf({ email, email_verified }: JWTPayload): unknown {
  if (email_verified !== true) throw invalidToken("the token's claim email is not verified");
  // Checked before its case is folded, because the Kelvin sign becomes a k in lower case.
  return typeof email === 'string' && NAME.test(email) ? email.toLowerCase() : null;
}

/** The map's values for all values of the claim, without duplicates. */
function mapped<T>(claims: JWTPayload, claim: string, map: Readonly<Record<string, readonly T[]>>): readonly T[] {
  const values = valuesOf(claims, claim);
  return [...new Set(Object.entries(map).flatMap(([value, given]) => (values.includes(value) ? given : [])))];
}

/** The values of a text or a list of texts. Scopes are words in one text (RFC 8693, section 4.2). */
function valuesOf(claims: JWTPayload, claim: string): unknown[] {
  const value = claimOf(claims, claim);
  if (Array.isArray(value)) return value;
  return claim === 'scope' && typeof value === 'string' ? value.split(' ') : [value];
}

/** The team that a claim names. An unreadable claim is refused, because otherwise the team's limits would not apply. */
function teamOf(claims: JWTPayload, claim: string | undefined): string | null {
  const team = claim === undefined ? undefined : claimOf(claims, claim);
  if (team === undefined) return null;
  if (typeof team !== 'string' || !NAME.test(team)) throw invalidToken("the token's team claim is not a valid name");
  return team;
}

/** The claim of this name, or else the member at this path. */
function claimOf(claims: JWTPayload, name: string): unknown {
  const own = memberOf(claims, name);
  return own === undefined && name.includes('.') ? name.split('.').reduce<unknown>(memberOf, claims) : own;
}

function memberOf(holder: unknown, name: string): unknown {
  if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, name)) return undefined;
  return (holder as Readonly<Record<string, unknown>>)[name];
}

function invalidToken(message: string): SvcError {
  return new SvcError('SVC-AUTH-001', message);
}
