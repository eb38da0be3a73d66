import { isIP, isIPv6 } from 'node:net';

/** The network of an address: the /64 of an IPv6 address, which is the smallest network a customer gets, or the IPv4 address itself. */
export function networkOf(address: string): string {
  const [plain = ''] = withoutPort(address).split('%');
  if (!isIPv6(plain)) return plain;
  const groups = groupsOf(plain);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join('.');
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** The client's address without a port. Null if a proxy wrote something else, or if the connection is closed. */
export function addressOf(text: string | undefined): string | null {
  if (text === undefined) return null;
  const plain = withoutPort(text);
  return isIP(plain) === 0 ? null : plain;
}

/** Removes the port. Some proxies write `192.0.2.1:4711` and `[2001:db8::1]:4711`; with the port, every connection would count as another visitor. */
function withoutPort(address: string): string {
  const [, bracketed] = /^\[([^\]]*)\](?::\d+)?$/.exec(address) ?? [];
  return bracketed ?? address.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
}

/** The eight groups of an IPv6 address, which may end in IPv4 notation. */
function groupsOf(address: string): number[] {
  const [before = [], after] = address.split('::').map(partOf);
  if (after === undefined) return before;
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return [...before, ...zeros, ...after];
}

function partOf(text: string): number[] {
  return text
    .split(':')
    .filter((group) => group !== '')
    .flatMap((group) => {
      if (!group.includes('.')) return [Number.parseInt(group, 16)];
      const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
      return [a * 256 + b, c * 256 + d];
    });
}
