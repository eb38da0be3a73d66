import { type CallContext, type Clock, ProviderError } from '@svc/sdk/plugin';
import { type Dispatcher, Pool } from 'undici';
import { failureOf, kindOfStatus } from './failures.ts';
import type { OpenAiOptions, Target } from './options.ts';
import { retryAfter } from './retry-after.ts';
import { wholeAnswer } from './whole-answer.ts';

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

function isOk(status: number): boolean {
  return status >= 200 && status < 300;
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
   * Posts a body and resolves with the text of a 2xx answer.
   * @throws {ProviderError}
   */
  async postForText(body: string, context: CallContext): Promise<string> {
    try {
      context.signal.throwIfAborted();
      const { status, headers, text } = await wholeAnswer(
        this.#connections(),
        this.#request(body, 'application/json', context),
        context.signal,
      );
      if (isOk(status)) return text;
      throw this.#refusal(status, headers);
    } catch (error) {
      throw failureOf(error, context.signal);
    }
  }

  /**
   * Posts a body and resolves with a 2xx answer, its body unread.
   * @throws {ProviderError}
   */
  async postForStream(body: string, context: CallContext): Promise<Answer> {
    let answer: Dispatcher.ResponseData;
    try {
      const request = { ...this.#request(body, 'text/event-stream', context), signal: context.signal };
      answer = await unlessAborted(context.signal, () => this.#connections().request(request));
    } catch (error) {
      throw failureOf(error, context.signal);
    }
    // A destroyed body emits an error also when nobody reads it.
    answer.body.on('error', () => {});
    if (isOk(answer.statusCode)) return answer;
    discard(answer.body);
    throw this.#refusal(answer.statusCode, answer.headers);
  }

  #connections(): Pool {
    this.#pool ??= new Pool(this.#target.origin, {
      connections: this.#options.connections,
      maxResponseSize: this.#options.max_response_bytes,
      // One connection a call: leaving a stream closes the connection, and a slow reader slows its own call only.
      allowH2: false,
    });
    return this.#pool;
  }

  #request(body: string, accept: string, { timeout_ms }: CallContext) {
    return {
      method: 'POST',
      path: this.#target.path,
      headers: { ...this.#target.headers, accept },
      body,
      // undici's own 300 s would cut a call with a longer limit.
      headersTimeout: timeout_ms,
      bodyTimeout: timeout_ms,
    } as const;
  }

  #refusal(status: number, headers: Answer['headers']): ProviderError {
    const retry_after_s = retryAfter(headers['retry-after'], this.#clock.now());
    return new ProviderError(kindOfStatus(status), { status, ...(retry_after_s !== undefined && { retry_after_s }) });
  }

  async close(): Promise<void> {
    await this.#pool?.destroy();
  }
}
