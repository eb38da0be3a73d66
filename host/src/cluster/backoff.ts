/** A worker that served this long was well; its death says nothing about the next. */
const STEADY_MS = 60_000;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 30_000;

/** How long to wait before an ended worker is replaced: not at all, unless it ended soon after its start, as the ones before it. */
export class Backoff {
  #short = 0;

  /** @param served_ms how long the worker served; 0 where it did not come to that */
  waitAfter(served_ms: number): number {
    if (served_ms >= STEADY_MS) {
      this.#short = 0;
      return 0;
    }
    this.#short += 1;
    return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (this.#short - 1));
  }
}
