import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { isUnresolved } from './options.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const NAMES = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY', 'no_proxy', 'NO_PROXY'];

/** The proxy variables of an environment. */
export function proxyVariables(env: Environment): Environment {
  return Object.fromEntries(NAMES.map((name) => [name, env[name]]));
}

/**
 * The proxy for a target, or null. A proxy from the environment does not apply to hosts in `NO_PROXY`, or to this machine.
 * @param option the option `proxy`
 * @throws {Error} with the option or variable and the remedy, never with the value
 */
export function proxyFor(target: URL, option: string | undefined, env: Environment): URL | null {
  if (option !== undefined) return option === 'direct' || isUnresolved(option) ? null : proxyUrl(option, 'proxy');
  const names = target.protocol === 'https:' ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy', 'HTTP_PROXY'];
  const name = names.find((each) => env[each]);
  if (name === undefined || isOfThisMachine(target.hostname)) return null;
  const proxy = proxyUrl(env[name] ?? '', name);
  return isExempt(target, env.no_proxy || env.NO_PROXY || '') ? null : proxy;
}

/** In the environment, a proxy may be written without `http://`. */
function proxyUrl(text: string, name: string): URL {
  const url = URL.parse(text.includes('://') ? text : `http://${text}`);
  const isProxy = url !== null && /^https?:$/.test(url.protocol) && url.hostname !== '' && /^\/?$/.test(url.pathname);
  if (isProxy && !isEncoded(`${url.username}${url.password}`))
    throw new Error(`${name}: user and password must be percent-encoded (write % as %25)`);
  if (isProxy) return url;
  throw new Error(`${name}: must be the URL of an HTTP proxy, such as http://proxy.example:3128, or direct for no proxy`);
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function isOfThisMachine(hostname: string): boolean {
  const address = bare(hostname);
  if (isIP(address) === 0) return /^(?:.*\.)?localhost\.?$/i.test(hostname);
  return ipaddr.process(address).range() === 'loopback';
}

/**
 * Whether a host is exempt. Entries are hosts including their subdomains (`corp.example`, `.corp.example`, `*.corp.example`), addresses, networks
 * (`10.0.0.0/8`), or `*`. Each may have a port.
 */
function isExempt(target: URL, no_proxy: string): boolean {
  const host = bare(target.hostname).toLowerCase().replace(/\.$/, '');
  const port = target.port || (target.protocol === 'https:' ? '443' : '80');
  return no_proxy
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      if (entry === '') return false;
      const [, name = entry, of] = /^(\[.*\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? [];
      return (of === undefined || of === port) && isNamed(host, bare(name));
    });
}

function isNamed(host: string, name: string): boolean {
  if (name === '*') return true;
  if (isIP(host) !== 0)
    return isIP(name) === 0 ? isInNetwork(host, name) : ipaddr.process(name).toString() === ipaddr.process(host).toString();
  const domain = name.replace(/^\*?\./, '').replace(/\.$/, '');
  return domain !== '' && (host === domain || host.endsWith(`.${domain}`));
}

function isInNetwork(address: string, network: string): boolean {
  if (!ipaddr.isValidCIDR(network)) return false;
  const [of, bits] = ipaddr.parseCIDR(network);
  const parsed = ipaddr.process(address);
  return parsed.kind() === of.kind() && parsed.match(of, bits);
}

/** An IPv6 address without its brackets. */
export function bare(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}
