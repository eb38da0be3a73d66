import { malformed } from '@svc/protocols';
import { type Dispatcher, interceptors } from 'undici';
import { isOk } from './failures.ts';

type Controller = Dispatcher.DispatchController;
type Dispatch = Dispatcher['dispatch'];
type IncomingHeaders = Record<string, string | string[] | undefined>;

const KNOWN = /^(?:(?:x-)?gzip|deflate|br|zstd)(?:\s*,\s*(?:(?:x-)?gzip|deflate|br|zstd))*$/i;
const NONE = /^(?:identity)?$/i;

/**
 * Decodes bodies that come compressed, though none is asked for: those of refusals, too.
 * @param max_bytes of a decoded body; a longer one is given up as it comes
 */
export function decoding(max_bytes: number): (dispatch: Dispatch) => Dispatch {
  return (dispatch) => (options, handler) => dispatch(options, new Decoding(options, handler, max_bytes));
}

/** The controller of a handler that began before it was known what stands in front of it. */
class CurrentController implements Controller {
  current: Controller;

  constructor(current: Controller) {
    this.current = current;
  }

  get aborted(): boolean {
    return this.current.aborted;
  }

  get paused(): boolean {
    return this.current.paused;
  }

  get reason(): Error | null {
    return this.current.reason;
  }

  abort(reason: Error): void {
    this.current.abort(reason);
  }

  pause(): void {
    this.current.pause();
  }

  resume(): void {
    this.current.resume();
  }
}

/** Passes on what comes as it is, until the head of an answer names an encoding. */
class Decoding implements Dispatcher.DispatchHandler {
  readonly #options: Dispatcher.DispatchOptions;
  readonly #max_bytes: number;
  readonly #own: Dispatcher.DispatchHandler;
  #handler: Dispatcher.DispatchHandler;
  #controller: CurrentController | null = null;

  constructor(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler, max_bytes: number) {
    this.#options = options;
    this.#own = handler;
    this.#handler = handler;
    this.#max_bytes = max_bytes;
  }

  onRequestStart(controller: Controller, context: unknown): void {
    this.#controller = new CurrentController(controller);
    this.#own.onRequestStart?.(this.#controller, context);
  }

  onResponseStart(controller: Controller, status: number, headers: IncomingHeaders, message?: string): void {
    const encoding = String(headers['content-encoding'] ?? '').trim();
    if (KNOWN.test(encoding)) this.#decode(controller);
    else if (isOk(status) && !NONE.test(encoding)) {
      controller.abort(malformed('an encoding that is not known'));
      return;
    }
    this.#handler.onResponseStart?.(controller, status, headers, message);
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    this.#handler.onResponseData?.(controller, chunk);
  }

  onResponseEnd(controller: Controller, trailers: IncomingHeaders): void {
    this.#handler.onResponseEnd?.(controller, trailers);
  }

  onResponseError(controller: Controller, error: Error): void {
    this.#handler.onResponseError?.(controller, error);
  }

  /** undici's own decoder stands in front of the handler from here on. */
  #decode(controller: Controller): void {
    const decompress = interceptors.decompress({ skipErrorResponses: false, maxSize: this.#max_bytes });
    const take: Dispatch = (_options, decoder) => {
      this.#handler = decoder;
      return true;
    };
    const own = this.#own;
    decompress(take)(this.#options, {
      onRequestStart: (decoded) => {
        if (this.#controller !== null) this.#controller.current = decoded;
      },
      onResponseStart: (...head) => own.onResponseStart?.(...head),
      onResponseData: (...piece) => own.onResponseData?.(...piece),
      onResponseEnd: (...end) => own.onResponseEnd?.(...end),
      onResponseError: (...failure) => own.onResponseError?.(...failure),
    });
    this.#handler.onRequestStart?.(controller, {});
  }
}
