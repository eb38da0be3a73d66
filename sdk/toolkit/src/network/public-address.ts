import { lookup as resolve } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Global unicast: all that is assigned so far. `range()` names what else has a name, and calls the rest `unicast`, `::127.0.0.1` too. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an IP address is one of the open internet: not of this machine, a private network, a link, a carrier's inside, or reserved;
 * nor one that hides such an address (compatible, mapped, translated and tunnelled IPv4).
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  // A mapped address becomes its IPv4 address; written `::1.1.1.1`, the library takes a compatible one for mapped.
  const parsed = ipaddr.process(address.replace(/^::(?=\d+\.)/, '0::'));
  return parsed.range() === 'unicast' && (parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST));
}

/** Thrown, and logged by its code, where a name or an address is not of the open internet. */
export class PrivateAddress extends Error {
  readonly code = 'PRIVATE_ADDRESS';
  constructor() {
    super('the address is private');
    this.name = 'PrivateAddress';
  }
}

/**
 * Resolves a name to its public addresses, for `connect.lookup`: what is checked here is what the connection is made to, so that a name
 * whose address changes in between gains nothing. It is not asked for a host that is an address already: see {@link isPublicHost}.
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

/** False for a host that is itself an address and not a public one. True for a name: its look-up decides. */
export function isPublicHost(hostname: string): boolean {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(address) === 0 || isPublicAddress(address);
}

/** The first public address of a host. @throws {PrivateAddress}, or the error of the look-up */
export async function publicAddress(hostname: string): Promise<string> {
  if (isIP(hostname) !== 0) {
    if (isPublicAddress(hostname)) return hostname;
    throw new PrivateAddress();
  }
  return new Promise((resolved, reject) => {
    lookupPublic(hostname, {}, (error, address) => (error === null ? resolved(`${address}`) : reject(error)));
  });
}
