import { AsyncLocalStorage } from 'node:async_hooks';
import type { CallContext } from '@svc/sdk';

/** One call of a model, from the request to the end of its answer. */
export class Call {
  readonly context: CallContext;
  readonly streamed: boolean;
  /** Aborted with the context's signal, and when the answer is left. */
  readonly signal: AbortSignal;
  /** Whether a request may have been sent: if not, nothing was billed. */
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

/** The call that a package fetches for: it is given its `fetch` once, for all calls. */
export const currentCall = new AsyncLocalStorage<Call>();
