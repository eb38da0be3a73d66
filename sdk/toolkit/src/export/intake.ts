import { type Static, Type } from 'typebox';
import { exchange } from '../network/exchange.ts';
import { type ClientDeps, Network } from '../network/network.ts';
import { networkOptions } from '../network/options.ts';
import { NotAccepted, withinTime } from './not-accepted.ts';

/** The response body of a receiver is short. */
const MAX_RESPONSE_BYTES = 1_048_576;

/** Properties for the options schema of an exporter that has an {@link Intake}. */
export const intakeOptions = {
  timeout_ms: Type.Integer({
    default: 10_000,
    minimum: 10,
    maximum: 15_000,
    description: 'Timeout of one request, including its complete response, in milliseconds.',
  }),
  ...networkOptions,
};
const Options = Type.Object(intakeOptions);
type IntakeOptions = Static<typeof Options>;

/** A response, with its complete body. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  /** The delay in seconds that `Retry-After` requests. Undefined if there is none. */
  readonly retry_after_s: number | undefined;
}

interface IntakeRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** Sends requests to one receiver of records. It follows no redirect, retries nothing, and makes no connection before the first request. */
export class Intake {
  readonly #origin: string;
  readonly #options: IntakeOptions;
  readonly #network: Network;
  readonly #deps: ClientDeps;
  #pool: ReturnType<Network['pool']> | undefined;

  /** @throws {Error} for an invalid network option, naming the key and the remedy */
  constructor(origin: string, options: IntakeOptions, deps: ClientDeps) {
    this.#origin = origin;
    this.#options = options;
    this.#network = new Network(options, deps);
    this.#deps = deps;
  }

  /** @throws {NotAccepted} if there was no complete response in time */
  request(request: IntakeRequest, signal: AbortSignal): Promise<HttpAnswer> {
    this.#pool ??= this.#network.pool(this.#origin, { connections: 1, maxResponseSize: MAX_RESPONSE_BYTES });
    const pool = this.#pool;
    const { timeout_ms } = this.#options;
    return withinTime(timeout_ms, signal, async (limited) => {
      const { body, ...head } = await exchange(pool, { origin: this.#origin, ...request, signal: limited }, this.#deps.clock);
      return { ...head, body: Buffer.from(await body.arrayBuffer()) };
    });
  }

  /** Closes the connections. A later request connects again. */
  async close(): Promise<void> {
    const pool = this.#pool;
    this.#pool = undefined;
    await pool?.destroy();
  }
}

/** The failure for a status other than 2xx. @param code replaces `HTTP_` and the status */
export function refused(
  { status, retry_after_s }: Pick<HttpAnswer, 'status' | 'retry_after_s'>,
  code = `HTTP_${status}`,
): NotAccepted {
  return new NotAccepted(code, retry_after_s === undefined ? undefined : retry_after_s * 1000);
}

/**
 * The address of a receiver.
 * @param key the option, for messages
 * @throws {Error} with the key and the remedy, never with the value
 */
export function receiverUrl(key: string, text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Error(`${key}: must be an http or https URL`);
  if (url.username !== '' || url.password !== '') throw new Error(`${key}: must not contain a user name or password`);
  if (url.hash !== '') throw new Error(`${key}: must not have a fragment`);
  return url;
}
