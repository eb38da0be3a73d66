import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { PluginDeps } from '@svc/contracts';
import { type NetworkOptions, pemFilesOf, proxyFor } from '@svc/toolkit/network';

type Connect = HttpAgent['createConnection'];

/** Keeps connections to a collector, over the network that its section configures. The next connection uses certificates that have changed. */
export function collectorAgent(
  endpoint: string,
  options: NetworkOptions,
  { directory, logger }: Pick<PluginDeps, 'directory' | 'logger'>,
): HttpAgent {
  const pem = pemFilesOf(options, directory, ({ code, message }) => {
    logger.warn({ event: 'connection_failed', reason: code, remedy: message });
  });
  const proxy = proxyFor(new URL(endpoint), options.proxy, process.env)?.href;
  const proxyEnv = proxy === undefined ? {} : { proxyEnv: { HTTP_PROXY: proxy, HTTPS_PROXY: proxy } };
  if (!endpoint.startsWith('https:')) return new HttpAgent({ keepAlive: true, ...proxyEnv });
  const agent = new HttpsAgent({ keepAlive: true, ...proxyEnv });
  const connect: Connect = agent.createConnection.bind(agent);
  agent.createConnection = (given, callback) => {
    pem.current().then(
      (tls) => {
        const socket = connect({ ...given, ...tls }, callback);
        if (socket) callback?.(null, socket);
      },
      (error: Error) => callback?.(error, undefined as never),
    );
    return undefined;
  };
  return agent;
}
