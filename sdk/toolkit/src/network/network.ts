import type { PluginDeps } from '@svc/contracts';
import { Agent, buildConnector, type Dispatcher, Pool } from 'undici';
import { assertNetwork, pemFilesOf } from './assert-network.ts';
import { ConnectionLog } from './connection-log.ts';
import { forwarding } from './forward.ts';
import type { NetworkOptions } from './options.ts';
import type { PemFiles, PemTexts } from './pem-files.ts';
import { proxyFor, proxyVariables } from './proxies.ts';
import { lookupPublic, publicAddress } from './public-address.ts';
import { connectThrough, proxyErrorOf } from './tunnel.ts';

type Connector = buildConnector.connector;

/** The dependencies of a network. */
export type NetworkDeps = Pick<PluginDeps, 'directory' | 'logger'>;

/** The dependencies of a client that uses a network. */
export type ClientDeps = NetworkDeps & Pick<PluginDeps, 'clock'>;

export interface PoolOptions extends Pick<Pool.Options, 'connections' | 'maxResponseSize' | 'headersTimeout' | 'bodyTimeout'> {
  /** Whether to connect only to public internet addresses. Behind a proxy as well: the name is resolved here, and the proxy gets the address. */
  readonly public_only?: boolean;
}

/**
 * How connections leave: directly or through a proxy, and with which certificates. All connections are created here. A failure to connect is logged
 * with a remedy, and not again until a connection succeeds.
 */
export class Network {
  readonly #proxy: string | undefined;
  /** The environment when this object was created. */
  readonly #env = proxyVariables(process.env);
  readonly #pem: PemFiles;
  readonly #log: ConnectionLog;

  /** @throws {Error} with the key and the remedy, never with a value, for options that cannot be used */
  constructor(options: NetworkOptions, { directory, logger }: NetworkDeps) {
    assertNetwork(options, directory);
    this.#proxy = options.proxy;
    this.#log = new ConnectionLog(logger);
    this.#pem = pemFilesOf(options, directory, ({ code, message }) => this.#log.failed(code, message));
  }

  /** The proxy for an origin, or null. */
  proxyOf(origin: string): URL | null {
    return proxyFor(new URL(origin), this.#proxy, this.#env);
  }

  /** A pool for one origin. It connects on first use. */
  pool(origin: string, { public_only = false, ...settings }: PoolOptions): Dispatcher {
    const proxy = this.proxyOf(origin);
    // One call per connection. So ending a stream closes only its own connection, and a slow reader slows only its own call.
    const optionsFor = (connector: Connector) => ({ ...settings, allowH2: false, connect: this.#watched(connector) });
    const direct = this.#direct(public_only);
    if (proxy === null) return new Pool(origin, optionsFor(direct));
    if (origin.startsWith('http:'))
      return forwarding(proxy, origin, optionsFor(toProxy(this.#direct(false))), ({ code }) => this.#log.failed(code));
    return new Pool(origin, optionsFor(this.#through(proxy, public_only)));
  }

  /** For `fetch`: each origin has its own connections. */
  agent(settings: PoolOptions = {}): Agent {
    return new Agent({ factory: (origin) => this.pool(`${origin}`, settings) });
  }

  #direct(public_only: boolean): Connector {
    const lookup = public_only ? { lookup: lookupPublic } : {};
    return this.#secured((tls) => buildConnector({ ...tls, ...lookup, allowH2: false }));
  }

  /** Connects through a tunnel, so the proxy sees only the name or address of the server. */
  #through(proxy: URL, public_only: boolean): Connector {
    const secure = this.#secured((tls) => buildConnector({ ...tls, allowH2: false }));
    const connect = async ({ hostname, port }: buildConnector.Options) => {
      const { ca } = await this.#pem.current();
      return connectThrough(proxy, public_only ? await publicAddress(hostname) : hostname, Number(port) || 443, ca);
    };
    return (options, callback) => {
      connect(options).then(
        (httpSocket) => secure({ ...options, httpSocket }, callback),
        (error: Error) => callback(error, null),
      );
    };
  }

  /** A connector that is created again when the certificates change. */
  #secured(make: (tls: PemTexts) => Connector): Connector {
    if (this.#pem.isEmpty) return make({});
    let made: { of: PemTexts; connector: Connector } | null = null;
    return (options, callback) => {
      this.#pem.current().then(
        (tls) => {
          if (made?.of !== tls) made = { of: tls, connector: make(tls) };
          made.connector(options, callback);
        },
        (error: Error) => callback(error, null),
      );
    };
  }

  #watched(connector: Connector): Connector {
    return (options, callback) =>
      connector(options, (...[error, socket]) => {
        if (error !== null) {
          this.#log.failed(codeOf(error));
          return callback(error, null);
        }
        this.#log.succeeded();
        // A server may request another certificate after the handshake.
        socket.once('error', (late) => {
          if (/^ERR_SSL_/.test(codeOf(late))) this.#log.failed(codeOf(late));
        });
        callback(null, socket);
      });
  }
}

function toProxy(connector: Connector): Connector {
  return (options, callback) =>
    connector(options, (...[error, socket]) => (error === null ? callback(null, socket) : callback(proxyErrorOf(error), null)));
}

function codeOf(error: unknown): string {
  const code: unknown = Reflect.get(Object(error), 'code');
  return typeof code === 'string' ? code : '';
}
