import { withTimeout } from '@svc/contracts';

/** An orderly shutdown. No part can block the others: a part that exceeds its limit is abandoned and can be listed. */
export class Closing {
  readonly #open = new Set<string>();
  readonly #deadline: number;

  /** @param total_ms for all parts together, from now on; absent: unlimited */
  constructor(total_ms = Number.POSITIVE_INFINITY) {
    this.#deadline = performance.now() + total_ms;
  }

  /** Parts that have not ended, including those whose limit is not reached. */
  get left(): readonly string[] {
    return [...this.#open];
  }

  /** Resolves when the part has ended, failed, or exceeded its limit. */
  async end(part: string, limit_ms: number, work: () => unknown): Promise<void> {
    this.#open.add(part);
    const ended = (async () => work())().then(
      () => this.#open.delete(part),
      () => undefined,
    );
    const remaining_ms = this.#deadline - performance.now();
    await (Number.isFinite(remaining_ms) ? withTimeout(ended, Math.max(0, Math.min(limit_ms, remaining_ms))) : ended);
  }
}
