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

/** Passes on what comes as it is, until the head of an answer names an encoding. */
class Decoding implements Dispatcher.DispatchHandler {
  readonly #options: Dispatcher.DispatchOptions;
  readonly #max_bytes: number;
  #handler: Dispatcher.DispatchHandler;
  #context: unknown;

  constructor(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler, max_bytes: number) {
    this.#options = options;
    this.#handler = handler;
    this.#max_bytes = max_bytes;
  }

  onRequestStart(controller: Controller, context: unknown): void {
    this.#context = context;
    this.#handler.onRequestStart?.(controller, context);
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
    const own = this.#handler;
    const take: Dispatch = (_options, decoder) => {
      this.#handler = decoder;
      return true;
    };
    decompress(take)(this.#options, own);
    this.#handler.onRequestStart?.(controller, this.#context);
  }
}
