import { StoreError } from '@svc/sdk/store';

/** TLS mode of a connection URL. The names are those of libpq, plus the driver's `no-verify`. */
type Tls = 'disable' | 'verify-full' | 'no-verify';

export interface DatabaseUrl {
  /** The URL for the driver, with an explicit TLS mode and without session options. */
  readonly url: string;
  /** Session options from the URL. The store's own options come after them. */
  readonly options: string;
  readonly warning: 'not_encrypted' | 'not_verified' | null;
}

const TLS: ReadonlyMap<string, Tls> = new Map([
  ['disable', 'disable'],
  // In libpq, these two modes verify less. A later version of the driver will do the same, without a warning.
  ['require', 'verify-full'],
  ['verify-ca', 'verify-full'],
  ['verify-full', 'verify-full'],
  ['no-verify', 'no-verify'],
]);
/** The driver's values for `ssl`. */
const SSL: ReadonlyMap<string, Tls> = new Map([
  ['true', 'verify-full'],
  ['1', 'verify-full'],
  ['no-verify', 'no-verify'],
  ['0', 'disable'],
]);
const CERTIFICATES = ['sslrootcert', 'sslcert', 'sslkey'];
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[?::1\]?)$/;

/**
 * Parses a connection URL. Rejects a TLS mode that the driver does not know (such as `allow` or a typo), because the driver would then not encrypt,
 * without a warning.
 * @throws {StoreError} `OPEN`
 */
export function databaseUrl(named: string, env: NodeJS.ProcessEnv = process.env): DatabaseUrl {
  const query_at = named.indexOf('?');
  const address = query_at === -1 ? named : named.slice(0, query_at);
  const query = new URLSearchParams(query_at === -1 ? '' : named.slice(query_at + 1));
  const tls = tlsOf(query, env);
  const host = query.get('host') ?? hostOf(address) ?? env.PGHOST ?? 'localhost';
  const options = query.get('options') ?? '';
  for (const name of ['options', 'ssl', 'sslmode', 'uselibpqcompat']) query.delete(name);
  query.set('sslmode', tls);
  // Each of these makes the driver enable TLS.
  if (tls === 'disable') for (const name of CERTIFICATES) query.delete(name);
  return { url: `${address}?${query}`, options, warning: warningOf(tls, host) };
}

function tlsOf(query: URLSearchParams, env: NodeJS.ProcessEnv): Tls {
  if (query.get('uselibpqcompat') !== null) {
    throw cannotUse(
      'uselibpqcompat',
      'with it, sslmode=require does not verify the server: use sslmode=verify-full, or sslmode=no-verify to skip verification',
    );
  }
  const sslmode = query.get('sslmode') ?? (query.has('ssl') ? null : (env.PGSSLMODE ?? null));
  if (sslmode !== null) {
    const tls = TLS.get(sslmode);
    if (tls === undefined) throw cannotUse('sslmode', `use one of ${[...TLS.keys()].join(', ')}`);
    return tls;
  }
  const ssl = query.get('ssl');
  if (ssl === null) return CERTIFICATES.some((name) => query.has(name)) ? 'verify-full' : 'disable';
  const tls = SSL.get(ssl);
  if (tls === undefined) throw cannotUse('ssl', `use one of ${[...SSL.keys()].join(', ')}, or preferably sslmode`);
  return tls;
}

function cannotUse(parameter: string, why: string): StoreError {
  return new StoreError('OPEN', `invalid ${parameter} in the database URL: ${why}`);
}

function hostOf(address: string): string | null {
  const [, host = ''] = /^[^/]*\/\/(?:[^/]*@)?(\[[^\]]*\]|[^/:]*)/.exec(address) ?? [];
  return host === '' ? null : decodeURIComponent(host);
}

function warningOf(tls: Tls, host: string): DatabaseUrl['warning'] {
  switch (tls) {
    case 'verify-full':
      return null;
    case 'no-verify':
      return 'not_verified';
    case 'disable':
      // Data over a Unix socket does not leave the machine, and neither does data over loopback.
      return host.startsWith('/') || LOOPBACK.test(host) ? null : 'not_encrypted';
  }
}
