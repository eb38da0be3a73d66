import { withTimeout } from '@svc/contracts';

/** An orderly shutdown in parts. No part can block the others: a part that exceeds its limit is abandoned and appears in `left`. */
export class Closing {
  /** Objects, because two parts may have the same name. */
  readonly #open = new Set<{ readonly part: string }>();
  readonly #deadline: number;

  /** @param total_ms time for all parts together, from now on; absent: unlimited */
  constructor(total_ms = Number.POSITIVE_INFINITY) {
    this.#deadline = performance.now() + total_ms;
  }

  /** Parts that have not ended, including those that are within their limit. */
  get left(): readonly string[] {
    return [...this.#open].map(({ part }) => part);
  }

  /** Resolves when the part has ended, failed, or exceeded its limit. */
  async end(part: string, limit_ms: number, work: () => unknown): Promise<void> {
    const open = { part };
    this.#open.add(open);
    const ended = (async () => work())().then(
      () => this.#open.delete(open),
      () => undefined,
    );
    const remaining_ms = this.#deadline - performance.now();
    await (Number.isFinite(remaining_ms) ? withTimeout(ended, Math.max(0, Math.min(limit_ms, remaining_ms))) : ended);
  }
}
