import { isIPv6 } from 'node:net';
import { CliError } from '../errors/cli-error.ts';
import { isLoopback } from '../net/loopback.ts';

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];

export interface AllowedHostsOptions {
  readonly no_auth: boolean;
  /** The address that the gateway listens on. */
  readonly host: string;
  /** Names given by `--allow-host`. */
  readonly named: readonly string[];
}

/**
 * Allowed values of the header `Host`. Without authentication, a web page could reach the gateway under the page's own host name by changing that
 * name's address (DNS rebinding). Only `Host` reveals this. Null if keys are required, because such a page has none.
 * @throws {CliError}
 */
export function allowedHosts({ no_auth, host, named }: AllowedHostsOptions): readonly string[] | null {
  if (!no_auth && named.length > 0) throw new CliError('--allow-host requires --no-auth: with keys, any Host is accepted', 2);
  if (!no_auth) return null;
  const names = named.map(hostName);
  if (isLoopback(host)) return [...LOOPBACK_NAMES, hostName(host), ...names];
  if (names.length > 0) return names;
  const remedy = 'add --allow-host NAME for each host name, or listen on 127.0.0.1';
  throw new CliError(`--no-auth is not allowed on ${host}, which is not a loopback address: ${remedy}`, 2);
}

/** The host in the form in which a browser sends it in `Host`, without a port. */
function hostName(given: string): string {
  const address = `http://${isIPv6(given) ? `[${given}]` : given}`;
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || url.href !== `http://${url.hostname}/` || given.includes('*'))
    throw new CliError(`--allow-host ${given} is not a host name: use a name or an address without a port`, 2);
  return url.hostname;
}
