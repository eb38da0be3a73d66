import type { ClientRequest, IncomingMessage } from 'node:http';
import { isIPv6, type Socket } from 'node:net';
import { bare } from './proxies.ts';

const CONNECT_MS = 10_000;

/** The proxy did not open a connection. The code is `PROXY_` and the system's code, or `PROXY_HTTP_` and the proxy's status. */
export class ProxyError extends Error {
  readonly code: string;
  constructor(what: string) {
    super('the proxy did not open a connection');
    this.name = 'ProxyError';
    this.code = `PROXY_${what}`;
  }
}

/** An error while connecting to a proxy. */
export function proxyErrorOf(error: unknown): ProxyError {
  const code: unknown = Reflect.get(Object(error), 'code');
  return new ProxyError(typeof code === 'string' ? code : 'UNKNOWN');
}

/** The header `Proxy-Authorization` for the user and password in the proxy's URL. */
export function proxyHeaders({ username, password }: URL): Record<string, string> {
  if (username === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

/**
 * A connection through the proxy (`CONNECT`).
 * @param ca certificates for the proxy's own certificate
 * @throws {ProxyError}
 */
export function connectThrough(proxy: URL, hostname: string, port: number, ca: string | undefined): Promise<Socket> {
  const target = `${isIPv6(hostname) ? `[${hostname}]` : hostname}:${port}`;
  // Not imported, because importing `node:http` loads Node's own fetch: 9 MB of memory.
  const { request } = process.getBuiltinModule(proxy.protocol === 'https:' ? 'node:https' : 'node:http');
  return new Promise((resolve, reject) => {
    const asked: ClientRequest = request({
      method: 'CONNECT',
      host: bare(proxy.hostname),
      port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
      path: target,
      headers: { host: target, ...proxyHeaders(proxy) },
      agent: false,
      ...(ca !== undefined && { ca }),
    });
    const late = setTimeout(() => asked.destroy(Object.assign(new Error('late'), { code: 'TIMEOUT' })), CONNECT_MS);
    asked.on('error', (error) => reject(proxyErrorOf(error)));
    asked.on('close', () => clearTimeout(late));
    asked.on('connect', ({ statusCode = 0 }: IncomingMessage, socket: Socket, head: Buffer) => {
      clearTimeout(late);
      if (statusCode < 200 || statusCode > 299) {
        socket.on('error', () => undefined).destroy();
        return reject(new ProxyError(`HTTP_${statusCode}`));
      }
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    asked.end();
  });
}
