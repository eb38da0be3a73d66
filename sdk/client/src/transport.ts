import { httpStatusError } from './http-status-error.ts';

export interface ClientOptions {
  /** Where the gateway is, such as `http://127.0.0.1:8000`; a path before `/v1` is kept. */
  readonly base_url: string;
  /** `svc-` and 64 hex characters. Left out: for a gateway that runs with `--no-auth`. */
  readonly key?: string;
  /**
   * How long one call may take, in milliseconds; of a stream, how long each wait for the next part may. 60,000 unless given, 0: for ever.
   * A call that took longer rejects with a `DOMException` named `TimeoutError`.
   */
  readonly timeout_ms?: number;
  /** Instead of the runtime's own. */
  readonly fetch?: typeof fetch;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Instead of the client's. */
  readonly timeout_ms?: number;
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** From `/v1` on. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const DEFAULT_TIMEOUT_MS = 60_000;

/** A limit that can be set anew; its signal also follows the caller's. */
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
    const over = () => this.#own.abort(new DOMException(`nothing came for ${this.#limit_ms} ms`, 'TimeoutError'));
    this.#timer = setTimeout(over, this.#limit_ms);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Lets go of what is still under way. */
  abort(): void {
    this.stop();
    this.#own.abort();
  }
}

/** Sends calls with the key, and makes errors of what is not 2xx. */
export class Transport {
  readonly #base: string;
  readonly #headers: Record<string, string>;
  readonly #timeout_ms: number;
  readonly #fetch: typeof fetch;

  constructor({ base_url, key, timeout_ms = DEFAULT_TIMEOUT_MS, fetch = globalThis.fetch }: ClientOptions) {
    this.#base = base_url.replace(/\/+$/, '');
    this.#headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
    this.#timeout_ms = timeout_ms;
    // Called without a receiver, as browsers want it.
    this.#fetch = (input, init) => fetch(input, init);
  }

  /** An answer whose body is still to be read, under the deadline. @throws {HttpStatusError} */
  async open(call: Call, options: CallOptions): Promise<{ response: Response; deadline: Deadline }> {
    const deadline = new Deadline(options.timeout_ms ?? this.#timeout_ms, options.signal);
    try {
      const response = await this.#send(call, deadline.signal);
      if (!response.ok) throw await httpStatusError(response);
      return { response, deadline };
    } catch (error) {
      deadline.stop();
      throw error;
    }
  }

  /** The whole answer. @throws {HttpStatusError} */
  async read<T>(call: Call, options: CallOptions, as: (response: Response) => Promise<T>): Promise<T> {
    const { response, deadline } = await this.open(call, options);
    try {
      return await as(response);
    } finally {
      deadline.stop();
    }
  }

  json<T>(call: Call, options: CallOptions): Promise<T> {
    return this.read(call, options, (response) => response.json() as Promise<T>);
  }

  #send({ method, path, query = {}, body, headers = {} }: Call, signal: AbortSignal): Promise<Response> {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
    const search = parameters.size === 0 ? '' : `?${parameters}`;
    return this.#fetch(`${this.#base}${path}${search}`, {
      method,
      // The key must not follow to another place.
      redirect: 'error',
      signal,
      headers: { ...this.#headers, ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }
}
