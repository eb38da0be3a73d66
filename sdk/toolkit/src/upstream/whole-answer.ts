import { type CallContext, JSON_VALUE_BYTES, JsonCounter, type JsonLimits } from '@svc/contracts';
import type { Dispatcher } from 'undici';
import { isOk, tooMuchJson } from './failures.ts';
import { REFUSAL_BYTES, REFUSAL_MS } from './refusal.ts';

export interface WholeAnswer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  /** Of a status other than 2xx: its beginning. */
  readonly text: string;
}

const UTF8 = new TextDecoder();

/**
 * Makes one call and gathers its answer. undici's own `request` builds a stream for every body, which costs as much again as the
 * exchange itself. `context.onBuffered` is told how much has come. Rejects as soon as the signal aborts, also while the call waits for a free
 * connection. What the answer holds of JSON is counted as it comes, so that reading stops at the limit.
 */
export function wholeAnswer(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  context: Pick<CallContext, 'signal' | 'onBuffered'>,
  limits?: JsonLimits,
): Promise<WholeAnswer> {
  return new Promise((resolve, reject) => {
    dispatcher.dispatch(options, new Gathering(context, new JsonCounter(limits), resolve, reject));
  });
}

/** An answer while it comes. */
class Gathering implements Dispatcher.DispatchHandler {
  readonly #context: Pick<CallContext, 'signal' | 'onBuffered'>;
  readonly #counter: JsonCounter;
  readonly #resolve: (answer: WholeAnswer) => void;
  readonly #reject: (reason: Error) => void;
  readonly #chunks: Buffer[] = [];
  readonly #abort = (): void => {
    const { reason } = this.#context.signal;
    this.#started?.abort(reason);
    this.#reject(reason);
  };
  #started: Dispatcher.DispatchController | null = null;
  #status = 0;
  #headers: WholeAnswer['headers'] = {};
  #bytes = 0;
  #late: NodeJS.Timeout | undefined;

  constructor(
    context: Pick<CallContext, 'signal' | 'onBuffered'>,
    counter: JsonCounter,
    resolve: (answer: WholeAnswer) => void,
    reject: (reason: Error) => void,
  ) {
    this.#context = context;
    this.#counter = counter;
    this.#resolve = resolve;
    this.#reject = reject;
    counter.begin();
    context.signal.addEventListener('abort', this.#abort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#started = controller;
    if (this.#context.signal.aborted) controller.abort(this.#context.signal.reason);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: WholeAnswer['headers']): void {
    // 1xx answers come before the one that counts.
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    if (isOk(status)) return;
    this.#late = setTimeout(() => controller.abort(new Error('a refusal that does not end')), REFUSAL_MS);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!isOk(this.#status) && this.#bytes > REFUSAL_BYTES) return;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (!isOk(this.#status)) return;
    const excess = this.#counter.push(chunk);
    // Many small values are more than their bytes.
    this.#context.onBuffered?.(Math.max(this.#bytes, this.#counter.values * JSON_VALUE_BYTES));
    if (excess !== null) controller.abort(tooMuchJson(excess));
  }

  onResponseEnd(): void {
    this.#end();
    this.#resolve(this.#answer());
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#end();
    // What a refusal says beside its status is not needed.
    if (this.#status !== 0 && !isOk(this.#status) && !this.#context.signal.aborted) this.#resolve(this.#answer());
    else this.#reject(error);
  }

  #end(): void {
    clearTimeout(this.#late);
    this.#context.signal.removeEventListener('abort', this.#abort);
  }

  #answer(): WholeAnswer {
    const [only = Buffer.alloc(0), ...more] = this.#chunks;
    const bytes = more.length === 0 ? only : Buffer.concat(this.#chunks);
    return { status: this.#status, headers: this.#headers, text: UTF8.decode(bytes) };
  }
}
