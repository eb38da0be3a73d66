import { withinLimit } from '../pipeline/index.ts';

const NEVER = new AbortController().signal;

/** An end in order, of which no part can keep the others: what does not end within its limit is left, and can be named. */
export class Closing {
  readonly #open = new Set<string>();
  readonly #deadline: number;

  /** @param total_ms for all parts together, from now on; without it each has all the time that it needs */
  constructor(total_ms = Number.POSITIVE_INFINITY) {
    this.#deadline = performance.now() + total_ms;
  }

  /** Parts that have not ended, those that still have time among them. */
  get left(): readonly string[] {
    return [...this.#open];
  }

  /** Resolves when the part has ended, has failed to, or has run past its limit. */
  async end(part: string, limit_ms: number, work: () => unknown): Promise<void> {
    this.#open.add(part);
    const ended = (async () => work())().then(
      () => this.#open.delete(part),
      () => undefined,
    );
    const left_ms = this.#deadline - performance.now();
    await (Number.isFinite(left_ms) ? withinLimit(ended, Math.max(0, Math.min(limit_ms, left_ms)), NEVER) : ended);
  }
}
