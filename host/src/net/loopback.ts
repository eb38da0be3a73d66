import { BlockList, isIP, isIPv6 } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/** @param host a name or an address; IPv6 without brackets */
export function isLoopback(host: string): boolean {
  if (isIP(host) === 0) return host.toLowerCase() === 'localhost';
  return LOOPBACK.check(host, isIPv6(host) ? 'ipv6' : 'ipv4');
}

/** Whether nobody on the way can read or change the traffic, because it uses TLS or stays on this machine. */
export function isPrivateWay({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname.replace(/^\[|\]$/g, '')));
}
