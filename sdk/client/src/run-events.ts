import { framesOf } from './frames.ts';
import type { RunChange } from './openapi.ts';
import type { Deadline } from './transport.ts';

/**
 * The changes of paused runs, about a second after they are made. Iterate over them once; leaving the loop closes the connection. The loop ends when
 * the gateway ends the connection, for example at its shutdown or when the key is revoked, and throws the error of `fetch` if the connection breaks.
 * Changes in between are not sent later, so connect again and read the list again.
 */
export class RunEvents implements AsyncIterable<RunChange> {
  readonly #body: ReadableStream<Uint8Array>;
  readonly #deadline: Deadline;

  constructor(body: ReadableStream<Uint8Array>, deadline: Deadline) {
    this.#body = body;
    this.#deadline = deadline;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RunChange, void> {
    try {
      for await (const frame of framesOf(this.#body, this.#deadline)) yield JSON.parse(frame) as RunChange;
    } finally {
      this.close();
    }
  }

  /** Closes the connection. Needed only if you do not iterate. */
  close(): void {
    this.#deadline.abort();
  }
}
