import { fetchOver } from '../network/fetch-over.ts';
import { Network, type NetworkDeps } from '../network/network.ts';
import type { ClientOptions } from './options.ts';

/** Secrets of the stores have at most 64 KiB. Metadata of a login can be larger. */
const MAX_BYTES = 2 * 1_048_576;

/** The part of `fetch` that clients use. */
export type ClientFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * The connections of a store's client, with the gateway's proxies and certificates. Redirects are refused, because another server would get the
 * credentials. The machine's own metadata service is never reached through a proxy.
 */
export class ClientNetwork {
  readonly #options: ClientOptions;
  readonly #deps: NetworkDeps;
  readonly #network: Network;
  #connected:
    | { readonly agents: readonly ReturnType<Network['agent']>[]; readonly fetchFor: (url: URL) => typeof fetch }
    | undefined;
  #isClosed = false;

  /** @throws {Error} with the key and the remedy, never with a value, for options that cannot be used */
  constructor(options: ClientOptions, deps: NetworkDeps) {
    this.#options = options;
    this.#deps = deps;
    this.#network = new Network(options, deps);
  }

  /** Each request has its own timeout, because a client may continue it after its caller has stopped waiting. */
  readonly fetch: ClientFetch = async (url, init = {}) => {
    if (this.#isClosed) throw new Error('the backend is closed');
    const target = new URL(url);
    // A variable of the environment or a file of a login can name such a server. It would get the secret, or the login, in cleartext.
    if (target.protocol !== 'https:' && !isOwnMachine(target.hostname)) throw new Error('http is allowed only for this machine');
    const limit = AbortSignal.timeout(this.#options.timeout_ms);
    const signal = init.signal == null ? limit : AbortSignal.any([limit, init.signal]);
    this.#connected ??= this.#connect();
    return this.#connected.fetchFor(target)(target, { ...init, redirect: 'error', signal });
  };

  /** Closes the connections and aborts the requests on them. A client cannot open new ones afterwards. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const agents = this.#connected?.agents ?? [];
    this.#connected = undefined;
    await Promise.all(agents.map((agent) => agent.destroy()));
  }

  #connect() {
    const agentOf = (network: Network) => network.agent({ maxResponseSize: MAX_BYTES });
    const outside = agentOf(this.#network);
    const direct = agentOf(new Network({ ...this.#options, proxy: 'direct' }, this.#deps));
    const fetchFor = (url: URL) => fetchOver(isOwnMachine(url.hostname) ? direct : outside);
    return { agents: [outside, direct], fetchFor };
  }
}

const OWN_MACHINE = [
  /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/,
  // Link-local: RFC 3927, section 2.1, and RFC 4291, section 2.5.6.
  /^(?:169\.254\.\d+\.\d+|\[fe[89ab][0-9a-f]:[0-9a-f:]+\])$/,
  // Of AWS and Google.
  /^(?:\[fd00:ec2::[0-9a-f]+\]|\[fd20:ce::254\]|metadata\.google\.internal\.?)$/,
];

/** Whether the host is this machine or its metadata service. Container agents listen on the loopback address. */
export function isOwnMachine(hostname: string): boolean {
  return OWN_MACHINE.some((form) => form.test(hostname));
}
