/** Each bin is a twentieth wider than the one before. */
const WIDTH = Math.log(1.05);

/** Quantiles of durations, to 5 %, in memory that does not grow with their number. */
export class LatencyQuantiles {
  readonly #bins = new Map<number, number>();
  #count = 0;

  add(ms: number): void {
    const bin = Math.ceil(Math.log(Math.max(ms, 1)) / WIDTH);
    this.#bins.set(bin, (this.#bins.get(bin) ?? 0) + 1);
    this.#count += 1;
  }

  /** @returns milliseconds; null: there are no durations */
  get(quantile: number): number | null {
    let below = 0;
    for (const [bin, count] of [...this.#bins].toSorted(([a], [b]) => a - b)) {
      below += count;
      if (below >= quantile * this.#count) return Math.round(Math.exp(bin * WIDTH));
    }
    return null;
  }
}
