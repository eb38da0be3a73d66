/** A worker that served for this long was healthy, so its death says nothing about the next one. */
const STEADY_MS = 60_000;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 30_000;

/** How long to wait before replacing a dead worker. No wait, unless this worker and those before it died soon after they started. */
export class Backoff {
  #short = 0;

  /** @param served_ms how long the worker served; 0 if it never did */
  waitAfter(served_ms: number): number {
    if (served_ms >= STEADY_MS) {
      this.#short = 0;
      return 0;
    }
    this.#short += 1;
    return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (this.#short - 1));
  }
}
