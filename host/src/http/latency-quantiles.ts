/** Each bin is 5 % wider than the previous one. */
const WIDTH = Math.log(1.05);

/** Quantiles of durations, accurate to 5 %. Memory does not grow with the number of durations. */
export class LatencyQuantiles {
  readonly #bins = new Map<number, number>();
  #count = 0;

  add(ms: number): void {
    const bin = Math.ceil(Math.log(Math.max(ms, 1)) / WIDTH);
    this.#bins.set(bin, (this.#bins.get(bin) ?? 0) + 1);
    this.#count += 1;
  }

  /** @returns milliseconds; null if there are no durations */
  get(quantile: number): number | null {
    let below = 0;
    for (const [bin, count] of [...this.#bins].toSorted(([a], [b]) => a - b)) {
      below += count;
      if (below >= quantile * this.#count) return Math.round(Math.exp(bin * WIDTH));
    }
    return null;
  }
}
