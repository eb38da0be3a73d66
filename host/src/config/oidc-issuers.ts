import type { NetworkOptions } from '@svc/toolkit/network';
import type { Static } from 'typebox';
import { isPrivateWay } from '../net/loopback.ts';
import { type AuthContext, lintRouteNames } from './auth-keys.ts';
import { LITERAL_SECRET } from './create-plugin.ts';
import type { Path } from './diagnostic.ts';
import { durationMs } from './duration.ts';
import type { OidcIssuerSchema, SessionSchema } from './oidc-schema.ts';
import { type NetworkContext, readNetwork } from './read-network.ts';
import type { Report } from './report.ts';
import type { Role } from './roles.ts';
import { PRINCIPAL } from './schema-parts.ts';
import { isSecretText } from './secret-reference.ts';
import type { Section } from './sections.ts';

type Entry = Static<typeof OidcIssuerSchema>;

/** An entry of `auth.oidc`, with its secret resolved and its durations in milliseconds. */
export interface OidcIssuer extends Omit<Entry, 'clock_skew' | 'jwks_max_age' | keyof NetworkOptions> {
  readonly network: NetworkOptions;
  readonly clock_skew_ms: number;
  readonly jwks_max_age_ms: number;
}

/** Limits of the sessions of people who sign in on the pages, in milliseconds. */
export interface SessionLimits {
  readonly idle_ms: number;
  readonly absolute_ms: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** The issuers of JSON Web Tokens. */
export async function readIssuers(entries: Section<Entry>, context: AuthContext & NetworkContext): Promise<OidcIssuer[]> {
  const { report } = context;
  const read: OidcIssuer[] = [];
  for (const [index, entry] of entries.repaired) {
    const path = ['auth', 'oidc', Number(index)];
    const { clock_skew, jwks_max_age, client_secret: _, ...rest } = entry;
    if (!isPrivateUrl(entry.issuer))
      report.error('SVC-POL-001', [...path, 'issuer'], 'must use https, or http on a loopback address');
    if (read.some(({ issuer }) => issuer === entry.issuer)) report.error('SVC-POL-001', [...path, 'issuer'], 'duplicate issuer');
    for (const [value, routes] of Object.entries(entry.routes?.map ?? {}))
      lintRouteNames(routes, [...path, 'routes', 'map', value], context);
    const clock_skew_ms = bounded(clock_skew, [0, 5 * MINUTE_MS], [...path, 'clock_skew'], report);
    const jwks_max_age_ms = bounded(jwks_max_age, [MINUTE_MS, DAY_MS], [...path, 'jwks_max_age'], report);
    const { proxy, ca: _ca, client_certificate: _certificate, client_key: _key, ...own } = rest;
    const network = await readNetwork(entry, path, context);
    if (entry.issuer.startsWith('http:') && (proxy ?? 'direct') !== 'direct')
      report.error(
        'SVC-POL-001',
        [...path, 'proxy'],
        'an http issuer must be on this machine, and cannot be used through a proxy',
      );
    read.push({ ...own, network, ...(await clientSecret(entry, path, context)), clock_skew_ms, jwks_max_age_ms });
  }
  lintPrefixes(read, report);
  return read;
}

/** Whether a token of one of these issuers could name this principal. */
export function mayName(issuers: readonly OidcIssuer[], principal_id: string): boolean {
  return new RegExp(PRINCIPAL.pattern).test(principal_id) && issuers.some((issuer) => hasPrefix(issuer, principal_id));
}

export function readSession({ idle, absolute }: Static<typeof SessionSchema>, report: Report): SessionLimits {
  const path = ['auth', 'session'];
  const idle_ms = bounded(idle, [5 * MINUTE_MS, DAY_MS], [...path, 'idle'], report);
  const absolute_ms = bounded(absolute, [5 * MINUTE_MS, 7 * DAY_MS], [...path, 'absolute'], report);
  if (idle_ms > absolute_ms) report.error('SVC-POL-001', [...path, 'idle'], 'must not be longer than absolute');
  return { idle_ms, absolute_ms };
}

/** Whether a token of one of these issuers could name this principal and let it decide on runs of the route. */
export function mayApprove(issuers: readonly OidcIssuer[], principal_id: string, route: string): boolean {
  return issuers.some(
    (issuer) =>
      mayGive(issuer, principal_id, 'approve') &&
      (issuer.routes === undefined || Object.values(issuer.routes.map).some((given) => given.includes(route))),
  );
}

/** Whether a token of one of these issuers could name this principal and let it change states. */
export function mayAdminister(issuers: readonly OidcIssuer[], principal_id: string): boolean {
  return issuers.some((issuer) => mayGive(issuer, principal_id, 'admin'));
}

function mayGive(issuer: OidcIssuer, principal_id: string, role: Role): boolean {
  const isPrincipal = new RegExp(PRINCIPAL.pattern).test(principal_id);
  return isPrincipal && hasPrefix(issuer, principal_id) && Object.values(issuer.roles.map).some((given) => given.includes(role));
}

/** Whether a principal can begin with the issuer's prefix. The name in a claim is not empty, and an e-mail address is in lower case. */
function hasPrefix({ principal, principal_prefix = '' }: OidcIssuer, principal_id: string): boolean {
  const named = principal_id.slice(principal_prefix.length);
  if (!principal_id.startsWith(principal_prefix) || named === '') return false;
  return principal !== 'email' || named === named.toLowerCase();
}

function isPrivateUrl(text: string): boolean {
  return URL.canParse(text) && isPrivateWay(new URL(text));
}

function bounded(text: string, [min_ms, max_ms]: readonly [number, number], path: Path, report: Report): number {
  const ms = durationMs(text);
  if (ms < min_ms || ms > max_ms)
    report.error('SVC-POL-001', path, `must be from ${min_ms / MINUTE_MS}m to ${max_ms / MINUTE_MS}m`);
  return ms;
}

/** Absent without resolved secrets. */
async function clientSecret(
  { client_id, client_secret }: Entry,
  entry: Path,
  { report, secrets, resolveSecrets }: AuthContext,
): Promise<Pick<Entry, 'client_secret'>> {
  if (client_secret === undefined) return {};
  const path = [...entry, 'client_secret'];
  if (client_id === undefined) report.error('SVC-POL-001', path, 'has no effect without client_id');
  if (!isSecretText(client_secret)) report.warning('SVC-POL-008', path, LITERAL_SECRET);
  else if (!(await secrets.check(client_secret, path)) || !resolveSecrets) return {};
  const value = await secrets.resolve(client_secret, path);
  return typeof value === 'string' ? { client_secret: value } : {};
}

/** Two issuers may give the same name to different people, so their prefixes must distinguish the principals. */
function lintPrefixes(issuers: readonly OidcIssuer[], report: Report): void {
  const prefixes = issuers.map(({ principal_prefix = '' }) => principal_prefix);
  for (const [index, prefix] of prefixes.entries()) {
    if (!prefixes.some((other, at) => at !== index && prefix.startsWith(other))) continue;
    report.error(
      'SVC-POL-001',
      ['auth', 'oidc', index, 'principal_prefix'],
      'two issuers could give different people the same principal',
      {
        expected: 'a prefix for each issuer that does not start with the prefix of another',
      },
    );
  }
}
