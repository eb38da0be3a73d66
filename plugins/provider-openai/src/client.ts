import { type CallContext, type Clock, ProviderError } from '@svc/sdk/plugin';
import { type Dispatcher, Pool } from 'undici';
import { failureOf, kindOfStatus } from './failures.ts';
import type { OpenAiOptions, Target } from './options.ts';
import { retryAfter } from './retry-after.ts';

type Answer = Pick<Dispatcher.ResponseData, 'headers' | 'body'>;
export type Body = Answer['body'];

/** How long what is left of an answer may take to come in; then its connection is closed. */
const DISCARD_MS = 1_000;

/** Reads away what is left of a body, so that its connection can be used again. */
export function discard(body: Body): void {
  if (body.closed) return;
  const late = setTimeout(() => body.destroy(), DISCARD_MS);
  body.once('close', () => clearTimeout(late)).resume();
}

/** Settles as `call` does, but rejects as soon as the signal aborts: undici notices it only once a connection is free. */
async function unlessAborted<T>(signal: AbortSignal, call: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([call(), aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Calls one chat endpoint over kept-alive connections. Makes no connection before the first call; follows no redirect. */
export class Client {
  readonly #target: Target;
  readonly #options: OpenAiOptions;
  readonly #clock: Clock;
  #pool: Pool | undefined;

  constructor(target: Target, options: OpenAiOptions, clock: Clock) {
    this.#target = target;
    this.#options = options;
    this.#clock = clock;
  }

  /**
   * Posts a body and resolves with a 2xx answer, its body unread.
   * @throws {ProviderError}
   */
  async post(body: string, accept: string, context: CallContext): Promise<Answer> {
    this.#pool ??= new Pool(this.#target.origin, {
      connections: this.#options.connections,
      maxResponseSize: this.#options.max_response_bytes,
      // One connection a call: leaving a stream closes the connection, and a slow reader slows its own call only.
      allowH2: false,
    });
    const pool = this.#pool;
    let answer: Dispatcher.ResponseData;
    try {
      answer = await unlessAborted(context.signal, () =>
        pool.request({
          method: 'POST',
          path: this.#target.path,
          headers: { ...this.#target.headers, accept },
          body,
          signal: context.signal,
          // undici's own 300 s would cut a call with a longer limit.
          headersTimeout: context.timeout_ms,
          bodyTimeout: context.timeout_ms,
        }),
      );
    } catch (error) {
      throw failureOf(error, context.signal);
    }
    // A destroyed body emits an error also when nobody reads it.
    answer.body.on('error', () => {});
    if (answer.statusCode >= 200 && answer.statusCode < 300) return answer;
    discard(answer.body);
    const retry_after_s = retryAfter(answer.headers['retry-after'], this.#clock.now());
    throw new ProviderError(kindOfStatus(answer.statusCode), {
      status: answer.statusCode,
      ...(retry_after_s !== undefined && { retry_after_s }),
    });
  }

  async close(): Promise<void> {
    await this.#pool?.destroy();
  }
}
