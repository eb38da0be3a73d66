import type { Clock } from '@svc/contracts';
import { type Static, Type } from 'typebox';
import type { Dispatcher } from 'undici';
import { exchange } from '../network/exchange.ts';
import { type ClientDeps, Network } from '../network/network.ts';
import { networkOptions } from '../network/options.ts';
import { isPublicHost } from '../network/public-address.ts';
import { signedHeaders, signingKey } from './signature.ts';

/** Properties for the options schema of a plugin that has a {@link WebhookClient}. */
export const webhookOptions = {
  url: Type.String({ minLength: 1, description: 'An https URL; with `allow_private` also an http URL.' }),
  secret: Type.String({
    minLength: 1,
    writeOnly: true,
    description:
      'Signs requests (Standard Webhooks): `whsec_` and the base64 of 24 to 64 random bytes. Write it as a secret:// reference.',
  }),
  previous_secret: Type.Optional(
    Type.String({
      minLength: 1,
      writeOnly: true,
      description: 'A second secret that also signs, so that receivers accept either one during a rotation.',
    }),
  ),
  allow_private: Type.Boolean({
    default: false,
    description:
      "Allow private and loopback addresses, and http. If false, the gateway checks the receiver's address and passes that address to a proxy; if true, a proxy gets the host name.",
  }),
  max_response_bytes: Type.Integer({
    default: 1_048_576,
    minimum: 64,
    maximum: 67_108_864,
    description: 'Maximum size of the response; a longer one is a failure.',
  }),
  ...networkOptions,
};

const Options = Type.Object(webhookOptions);
export type WebhookOptions = Static<typeof Options>;
/** Without a secret, requests are not signed: for receivers whose URL is the secret. */
type ClientOptions = Omit<WebhookOptions, 'secret'> & Partial<Pick<WebhookOptions, 'secret'>>;

/** The receiver's response. For a status other than 2xx, the body is not read, so `text` is empty. */
export interface WebhookAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The delay in seconds that `Retry-After` requests. Undefined if there is none. */
  readonly retry_after_s: number | undefined;
}

/** Maximum number of concurrent calls. Further calls wait for a free connection within their timeout. */
const CONNECTIONS = 128;

/**
 * Posts JSON, signed if there is a secret, to one URL of the operator. It follows no redirect, retries nothing, and connects to private addresses only if
 * that is allowed: the check applies to the address of the connection. It makes no connection before the first call.
 */
export class WebhookClient {
  readonly #url: URL;
  readonly #options: ClientOptions;
  readonly #network: Network;
  readonly #clock: Clock;
  #keys: readonly Buffer[] | undefined;
  #pool: Dispatcher | undefined;

  /** @throws {Error} for an invalid `url` or network option, naming the key and the remedy */
  constructor(options: ClientOptions, deps: ClientDeps) {
    this.#url = urlOf(options);
    this.#options = options;
    this.#network = new Network(options, deps);
    this.#clock = deps.clock;
  }

  /**
   * Reads the secrets. This is not done earlier, because lint creates plugins without their secrets.
   * @throws {Error} with the key and the remedy, for an invalid secret
   */
  open(): void {
    this.#signingKeys();
  }

  /**
   * @param id identifies the message for the receiver
   * @throws undici's error, {@link PrivateAddress}, or the signal's reason
   */
  async post(id: string, body: string, signal: AbortSignal): Promise<WebhookAnswer> {
    const { body: answer, ...head } = await exchange(
      this.#connections(),
      {
        origin: this.#url.origin,
        method: 'POST',
        path: `${this.#url.pathname}${this.#url.search}`,
        headers: { 'content-type': 'application/json', accept: 'application/json', ...this.#signatureOf(id, body) },
        body,
        signal,
      },
      this.#clock,
    );
    if (head.status >= 200 && head.status < 300) return { ...head, text: await answer.text() };
    answer.on('error', () => undefined).destroy();
    return { ...head, text: '' };
  }

  /** Closes the connections. A later post connects again. */
  async close(): Promise<void> {
    const pool = this.#pool;
    this.#pool = undefined;
    await pool?.destroy();
  }

  #signatureOf(id: string, body: string): Record<string, string> {
    const keys = this.#signingKeys();
    return keys.length === 0 ? {} : signedHeaders(keys, id, this.#clock.now(), body);
  }

  #signingKeys(): readonly Buffer[] {
    const { secret, previous_secret } = this.#options;
    const given = Object.entries({ secret, previous_secret });
    this.#keys ??= given.flatMap(([option, value]) => (value === undefined ? [] : [signingKey(value, option)]));
    return this.#keys;
  }

  #connections(): Dispatcher {
    const { allow_private, max_response_bytes } = this.#options;
    this.#pool ??= this.#network.pool(this.#url.origin, {
      connections: CONNECTIONS,
      maxResponseSize: max_response_bytes,
      public_only: !allow_private,
    });
    return this.#pool;
  }
}

function urlOf({ url: text, allow_private }: ClientOptions): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new Error('url: must be an https URL, such as https://policy.example/check');
  if (url.username !== '' || url.password !== '')
    throw new Error('url: must not contain a user name or password; the receiver checks the signature instead');
  if (url.hash !== '') throw new Error('url: must not have a fragment');
  if (allow_private) return url;
  if (url.protocol === 'http:') throw new Error('url: must use https, unless allow_private is true');
  if (!isPublicHost(url.hostname)) throw new Error('url: leads to a private address; set allow_private: true to permit it');
  return url;
}
