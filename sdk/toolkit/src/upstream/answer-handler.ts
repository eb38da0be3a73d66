import type { Dispatcher } from 'undici';
import { ConnectionUse } from './connection-use.ts';
import { decoderFor } from './decoding.ts';

type Controller = Dispatcher.DispatchController;
export type AnswerHeaders = Record<string, string | string[] | undefined>;

/** Receives from undici the answer to one call. A compressed body is decoded. */
export abstract class AnswerHandler implements Dispatcher.DispatchHandler {
  readonly #max_bytes: number;
  readonly #use = new ConnectionUse();
  /** Null if the body is not decoded. */
  #decoder: Dispatcher.DispatchHandler | null = null;

  /** @param max_bytes limit of the decoded body */
  constructor(max_bytes: number) {
    this.#max_bytes = max_bytes;
  }

  /** Called when the request is about to be sent. Called again, with another controller, if the body is compressed. */
  protected abstract begin(controller: Controller): void;
  protected abstract start(controller: Controller, status: number, headers: AnswerHeaders): void;
  protected abstract take(controller: Controller, piece: Buffer): void;
  protected abstract end(): void;
  /** @param error a `StaleConnection` if the server had closed the reused connection */
  protected abstract fail(error: Error): void;

  onRequestStart(controller: Controller): void {
    this.#use.start();
    this.begin(controller);
  }

  onResponseStart(controller: Controller, status: number, headers: AnswerHeaders, message?: string): void {
    // 1xx responses come before the actual one.
    if (status < 200) return;
    const encoding = headers['content-encoding'];
    if (encoding !== undefined) this.#decoder = decoderFor(encoding, status, this.#decoded(), this.#max_bytes);
    this.#decoder?.onRequestStart?.(controller, {});
    if (this.#decoder === null) this.start(controller, status, headers);
    else this.#decoder.onResponseStart?.(controller, status, headers, message);
  }

  onResponseData(controller: Controller, piece: Buffer): void {
    if (this.#decoder === null) this.take(controller, piece);
    else this.#decoder.onResponseData?.(controller, piece);
  }

  onResponseEnd(controller: Controller, trailers: AnswerHeaders): void {
    if (this.#decoder === null) this.end();
    else this.#decoder.onResponseEnd?.(controller, trailers);
  }

  onResponseError(controller: Controller, error: Error): void {
    if (this.#decoder === null) this.fail(this.#use.explained(error));
    else this.#decoder.onResponseError?.(controller, error);
  }

  #decoded(): Dispatcher.DispatchHandler {
    return {
      onRequestStart: (controller) => this.begin(controller),
      onResponseStart: (controller, status, headers) => this.start(controller, status, headers),
      onResponseData: (controller, piece) => this.take(controller, piece),
      onResponseEnd: () => this.end(),
      onResponseError: (_controller, error) => this.fail(error),
    };
  }
}
