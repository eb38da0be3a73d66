import { httpStatusError } from './http-status-error.ts';
import { pause } from './pause.ts';
import { delayMs, MAX_RETRIES, repeatsError, repeatsStatus } from './retry.ts';

export interface ClientOptions {
  /** URL of the gateway, such as `http://127.0.0.1:8000`, with or without `/v1`. A path before `/v1` is kept. */
  readonly base_url: string;
  /** `svc-` and 64 hex characters. Omit it for a gateway that runs with `--no-auth`. */
  readonly key?: string;
  /**
   * Maximum duration of one call including its retries, in milliseconds. For a stream, of each wait for the next part. Default: 60,000; 0: no limit.
   * A call that takes longer rejects with a `DOMException` named `TimeoutError`.
   */
  readonly timeout_ms?: number;
  /**
   * Maximum number of retries. Default: 2. A call is retried after 408, 409, 429 and 5xx, unless the gateway sends `x-should-retry: false`, and after
   * a broken connection. A chat or a decision that may have arrived is not retried after a broken connection. In browsers it never is, because they
   * do not report how a connection failed.
   */
  readonly max_retries?: number;
  /** Sent with every call. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Replaces the runtime's own `fetch`. */
  readonly fetch?: typeof fetch;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Overrides the client's option. */
  readonly timeout_ms?: number;
  /** Overrides the client's option. */
  readonly max_retries?: number;
  /** Headers in addition to the client's, such as `{ 'x-svc-keep': 'request' }`. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** The path below the base URL, from `/v1` on. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the call may be carried out twice, so that it is retried after a broken connection. Default: true. */
  readonly idempotent?: boolean;
}

const DEFAULT_TIMEOUT_MS = 60_000;

/** A timeout that can be restarted. Its signal also aborts when the caller's signal does. */
export class Deadline {
  readonly #own = new AbortController();
  readonly #limit_ms: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly signal: AbortSignal;

  constructor(limit_ms: number, signal: AbortSignal | undefined) {
    this.#limit_ms = limit_ms;
    this.signal = signal === undefined ? this.#own.signal : AbortSignal.any([signal, this.#own.signal]);
    this.restart();
  }

  restart(): void {
    this.stop();
    if (this.#limit_ms === 0) return;
    const over = () => this.#own.abort(new DOMException(`no data received for ${this.#limit_ms} ms`, 'TimeoutError'));
    this.#timer = setTimeout(over, this.#limit_ms);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Aborts everything that is still in progress. */
  abort(): void {
    this.stop();
    this.#own.abort();
  }
}

/** Sends calls with the key, retries some of them, and turns any status but 2xx into an error. */
export class Transport {
  readonly #base: string;
  readonly #headers: Record<string, string>;
  readonly #timeout_ms: number;
  readonly #max_retries: number;
  readonly #fetch: typeof fetch;

  constructor(options: ClientOptions) {
    const {
      base_url,
      key,
      timeout_ms = DEFAULT_TIMEOUT_MS,
      max_retries = MAX_RETRIES,
      headers,
      fetch = globalThis.fetch,
    } = options;
    this.#base = base_url.replace(/\/+$/, '').replace(/\/v1$/, '');
    this.#headers = { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...headers };
    this.#timeout_ms = timeout_ms;
    this.#max_retries = max_retries;
    // Called without a receiver, as browsers require.
    this.#fetch = (input, init) => fetch(input, init);
  }

  /** A response whose body has not been read yet, under the deadline. @throws {HttpStatusError} */
  async open(call: Call, options: CallOptions): Promise<{ response: Response; deadline: Deadline }> {
    const deadline = new Deadline(options.timeout_ms ?? this.#timeout_ms, options.signal);
    try {
      return { response: await this.#attempt(call, options, deadline.signal, async (response) => response), deadline };
    } catch (error) {
      deadline.stop();
      throw error;
    }
  }

  /** The whole response. @throws {HttpStatusError} */
  async read<T>(call: Call, options: CallOptions, as: (response: Response) => Promise<T>): Promise<T> {
    const deadline = new Deadline(options.timeout_ms ?? this.#timeout_ms, options.signal);
    try {
      return await this.#attempt(call, options, deadline.signal, as);
    } finally {
      deadline.stop();
    }
  }

  json<T>(call: Call, options: CallOptions): Promise<T> {
    return this.read(call, options, (response) => response.json() as Promise<T>);
  }

  async #attempt<T>(call: Call, options: CallOptions, signal: AbortSignal, as: (response: Response) => Promise<T>): Promise<T> {
    const max_retries = options.max_retries ?? this.#max_retries;
    // Created outside of the retries: an invalid request throws a TypeError, just as a failed fetch does.
    const [url, init] = this.#request(call, options, signal);
    for (let attempt = 0; ; attempt += 1) {
      let delay_ms: number;
      try {
        const response = await this.#fetch(url, init);
        if (response.ok) return await as(response);
        if (attempt >= max_retries || !repeatsStatus(response)) throw await httpStatusError(response);
        delay_ms = delayMs(attempt, response.headers);
        await response.body?.cancel();
      } catch (error) {
        if (signal.aborted || attempt >= max_retries || !repeatsError(error, call.idempotent ?? true)) throw error;
        delay_ms = delayMs(attempt);
      }
      await pause(delay_ms, signal);
    }
  }

  #request(
    { method, path, query = {}, body, headers = {} }: Call,
    options: CallOptions,
    signal: AbortSignal,
  ): [string, RequestInit] {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
    const search = parameters.size === 0 ? '' : `?${parameters}`;
    // If a name occurs twice, the last one wins. Names are case-insensitive.
    const sent = new Headers(body === undefined ? {} : { 'content-type': 'application/json' });
    for (const some of [this.#headers, headers, options.headers ?? {}])
      for (const [name, value] of Object.entries(some)) sent.set(name, value);
    const init: RequestInit = {
      method,
      // The key must not be sent to another host.
      redirect: 'error',
      signal,
      headers: sent,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    return [`${this.#base}${path}${search}`, init];
  }
}
