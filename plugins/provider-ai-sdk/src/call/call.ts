import { AsyncLocalStorage } from 'node:async_hooks';
import type { CallContext } from '@svc/sdk';

/** A call of a model, from the request to the end of its answer. */
export class Call {
  readonly context: CallContext;
  readonly streamed: boolean;
  /** Aborted by the context's signal, or when the consumer leaves the answer. */
  readonly signal: AbortSignal;
  /** Whether a request may have been sent. If not, nothing was billed. */
  sent = false;
  readonly #left = new AbortController();

  constructor(context: CallContext, streamed: boolean) {
    this.context = context;
    this.streamed = streamed;
    this.signal = AbortSignal.any([context.signal, this.#left.signal]);
  }

  /** Closes the connection, whatever the package does with its streams. */
  leave(): void {
    this.#left.abort();
  }
}

/** The call for which a package is fetching. A package has a single `fetch` for all calls. */
export const currentCall = new AsyncLocalStorage<Call>();
