import { type CallContext, JSON_VALUE_BYTES, JsonCounter, type JsonLimits } from '@svc/contracts';
import type { Dispatcher } from 'undici';
import { AnswerHandler, type AnswerHeaders } from './answer-handler.ts';
import { isOk, tooMuchJson } from './failures.ts';
import { REFUSAL_BYTES, REFUSAL_MS } from './refusal.ts';

export interface WholeAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** For a status other than 2xx: the beginning of the body. */
  readonly text: string;
}

const UTF8 = new TextDecoder();

/** Collects the body of a 2xx answer as it arrives. */
export interface BodyReader {
  /**
   * @returns the number of bytes that are held now
   * @throws {ProviderError} to stop reading
   */
  take(bytes: Buffer): number;
  /** The collected text. */
  text(): string;
}

/** Keeps the body unchanged, and counts its JSON. */
export class JsonText implements BodyReader {
  readonly #counter: JsonCounter;
  readonly #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(limits?: JsonLimits) {
    this.#counter = new JsonCounter(limits);
    this.#counter.begin();
  }

  take(bytes: Buffer): number {
    this.#pieces.push(bytes);
    this.#bytes += bytes.length;
    const excess = this.#counter.push(bytes);
    if (excess !== null) throw tooMuchJson(excess);
    // Many small values take more memory than their bytes.
    return Math.max(this.#bytes, this.#counter.values * JSON_VALUE_BYTES);
  }

  text(): string {
    const [only = Buffer.alloc(0), ...more] = this.#pieces;
    return UTF8.decode(more.length === 0 ? only : Buffer.concat(this.#pieces));
  }
}

/**
 * Makes one call and collects its answer. undici's own `request` creates a stream for every body, which doubles the cost of the call.
 * `context.onBuffered` gets the number of buffered bytes. Rejects as soon as the signal aborts, even while the call waits for a free connection. If
 * the reader throws, reading stops.
 * @param max_bytes limit of the decoded body
 */
export function wholeAnswer(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  context: Pick<CallContext, 'signal' | 'onBuffered'>,
  reader: BodyReader,
  max_bytes: number,
): Promise<WholeAnswer> {
  return new Promise((resolve, reject) => {
    dispatcher.dispatch(options, new Gathering(context, reader, max_bytes, resolve, reject));
  });
}

/** An answer that is being received. */
class Gathering extends AnswerHandler {
  readonly #context: Pick<CallContext, 'signal' | 'onBuffered'>;
  readonly #reader: BodyReader;
  readonly #resolve: (answer: WholeAnswer) => void;
  readonly #reject: (reason: Error) => void;
  /** The body of a refusal. */
  readonly #chunks: Buffer[] = [];
  readonly #abort = (): void => {
    const { reason } = this.#context.signal;
    this.#started?.abort(reason);
    this.#reject(reason);
  };
  #started: Dispatcher.DispatchController | null = null;
  #status = 0;
  #headers: AnswerHeaders = {};
  #bytes = 0;
  #given_up = false;
  #late: NodeJS.Timeout | undefined;

  constructor(
    context: Pick<CallContext, 'signal' | 'onBuffered'>,
    reader: BodyReader,
    max_bytes: number,
    resolve: (answer: WholeAnswer) => void,
    reject: (reason: Error) => void,
  ) {
    super(max_bytes);
    this.#context = context;
    this.#reader = reader;
    this.#resolve = resolve;
    this.#reject = reject;
    context.signal.addEventListener('abort', this.#abort, { once: true });
  }

  protected begin(controller: Dispatcher.DispatchController): void {
    this.#started = controller;
    if (this.#context.signal.aborted) controller.abort(this.#context.signal.reason);
  }

  protected start(controller: Dispatcher.DispatchController, status: number, headers: AnswerHeaders): void {
    this.#status = status;
    this.#headers = headers;
    if (isOk(status)) return;
    this.#late = setTimeout(() => controller.abort(new Error('an error response that did not end in time')), REFUSAL_MS);
  }

  protected take(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!isOk(this.#status)) this.#takeRefusal(chunk);
    else if (!this.#given_up) this.#read(controller, chunk);
  }

  #read(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    try {
      const held = this.#reader.take(chunk);
      this.#context.onBuffered?.(held);
    } catch (error) {
      this.#given_up = true;
      controller.abort(error as Error);
    }
  }

  #takeRefusal(chunk: Buffer): void {
    if (this.#bytes > REFUSAL_BYTES) return;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
  }

  protected end(): void {
    this.#settled();
    if (!this.#given_up) this.#resolve(this.#answer());
  }

  protected fail(error: Error): void {
    this.#settled();
    // The body of a refusal may be missing, because its status is enough.
    if (this.#status !== 0 && !isOk(this.#status) && !this.#context.signal.aborted) this.#resolve(this.#answer());
    else this.#reject(error);
  }

  #settled(): void {
    clearTimeout(this.#late);
    this.#context.signal.removeEventListener('abort', this.#abort);
  }

  #answer(): WholeAnswer {
    const text = isOk(this.#status) ? this.#reader.text() : UTF8.decode(Buffer.concat(this.#chunks));
    return { status: this.#status, headers: this.#headers, text };
  }
}
