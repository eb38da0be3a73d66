import { lookup as resolve } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** All IPv6 unicast addresses assigned so far. `range()` names other known ranges, but calls the rest `unicast`, including `::127.0.0.1`. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an IP address is public. Addresses of this machine, of private, link-local and carriers' internal networks, and reserved addresses are not public.
 * Addresses that embed one of these are not public either (compatible, mapped, translated and tunnelled IPv4).
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  // A mapped address becomes its IPv4 address. The library mistakes a compatible address written as `::1.1.1.1` for a mapped one.
  const parsed = ipaddr.process(address.replace(/^::(?=\d+\.)/, '0::'));
  return parsed.range() === 'unicast' && (parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST));
}

/** A name or an address is not public. It is logged by its code. */
export class PrivateAddress extends Error {
  readonly code = 'PRIVATE_ADDRESS';
  constructor() {
    super('the address is private');
    this.name = 'PrivateAddress';
  }
}

/**
 * Resolves a name to its public addresses, for `connect.lookup`. The connection uses the address that was checked here, so it does not matter if the
 * name's address changes in between. Not called for a host that is already an address, see {@link isPublicHost}.
 */
export const lookupPublic: LookupFunction = (hostname, options, callback) => {
  resolve(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, '');
    const open = addresses.filter(({ address }) => isPublicAddress(address));
    const [first] = open;
    if (first === undefined) return callback(new PrivateAddress(), '');
    if (options.all === true) return callback(null, open);
    return callback(null, first.address, first.family);
  });
};

/** False for a host that is a non-public address. True for a name, which is checked when it is resolved. */
export function isPublicHost(hostname: string): boolean {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(address) === 0 || isPublicAddress(address);
}

/**
 * The first public address of a host.
 * @throws {PrivateAddress}, or the error of the lookup
 */
export async function publicAddress(hostname: string): Promise<string> {
  if (isIP(hostname) !== 0) {
    if (isPublicAddress(hostname)) return hostname;
    throw new PrivateAddress();
  }
  return new Promise((resolved, reject) => {
    lookupPublic(hostname, {}, (error, address) => (error === null ? resolved(`${address}`) : reject(error)));
  });
}
