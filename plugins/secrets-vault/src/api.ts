import { isObject, type PluginDeps } from '@svc/sdk';
import { SecretFailedError } from '@svc/sdk/secrets';
import { serverOrigin } from '@svc/toolkit/secrets';
import { fetchOver, Network } from '@svc/toolkit/upstream';
import type { Options } from './options.ts';

/** A response with its JSON body; null: it has none. */
export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>> | null;
}

interface Call {
  /** Default: GET. */
  readonly send?: object;
  readonly token?: string;
  readonly signal?: AbortSignal;
}

/** Secrets of the KV engine are at most 1 MiB by default. */
const MAX_BYTES = 2 * 1_048_576;

/** The server's HTTP API. */
export class VaultApi {
  readonly #origin: string;
  readonly #options: Options;
  readonly #network: Network;
  #connected: { readonly agent: ReturnType<Network['agent']>; readonly fetch: typeof fetch } | undefined;

  /** @throws {Error} for an invalid option, with its key and the remedy */
  constructor(options: Options, deps: Pick<PluginDeps, 'directory' | 'logger'>) {
    this.#origin = serverOrigin('address', options.address);
    this.#options = options;
    this.#network = new Network(options, deps);
  }

  /**
   * @param path below `/v1/`
   * @throws {SecretFailedError} `unavailable` without a usable response; an abort of `signal` is thrown as it is
   */
  async call(path: string, { send, token, signal }: Call): Promise<Answer> {
    const { namespace, timeout_ms } = this.#options;
    try {
      const response = await this.#connect()(`${this.#origin}/v1/${path}`, {
        method: send === undefined ? 'GET' : 'POST',
        headers: {
          'x-vault-request': 'true',
          ...(namespace !== undefined && { 'x-vault-namespace': namespace }),
          ...(token !== undefined && { 'x-vault-token': token }),
          ...(send !== undefined && { 'content-type': 'application/json' }),
        },
        body: send === undefined ? null : JSON.stringify(send),
        // Another server must not get the token.
        redirect: 'error',
        signal: AbortSignal.any([AbortSignal.timeout(timeout_ms), ...(signal === undefined ? [] : [signal])]),
      });
      const answer = { status: response.status, body: parsed(await response.text()) };
      if (answer.status === 429 || answer.status >= 472) throw new SecretFailedError('unavailable');
      return answer;
    } catch (error) {
      signal?.throwIfAborted();
      throw error instanceof SecretFailedError ? error : new SecretFailedError('unavailable');
    }
  }

  /** Closes the connections. */
  async close(): Promise<void> {
    await this.#connected?.agent.close();
    this.#connected = undefined;
  }

  #connect(): typeof fetch {
    if (this.#connected === undefined) {
      const agent = this.#network.agent({ maxResponseSize: MAX_BYTES });
      this.#connected = { agent, fetch: fetchOver(agent) };
    }
    return this.#connected.fetch;
  }
}

function parsed(text: string): Answer['body'] {
  try {
    const body: unknown = JSON.parse(text);
    return isObject(body) ? body : null;
  } catch {
    return null;
  }
}
