const MINUTE_MS = 60_000;

/**
 * A token bucket. It holds one minute's amount, starts full, and refills evenly. A charge may exceed the balance; the debt is repaid first. Times are
 * monotonic milliseconds.
 */
export class TokenBucket {
  readonly capacity: number;
  /** The balance in sixty-thousandths, so that whole milliseconds refill whole numbers. */
  #parts: number;
  #at: number;

  constructor(per_minute: number, now: number) {
    this.capacity = per_minute;
    this.#parts = per_minute * MINUTE_MS;
    this.#at = now;
  }

  /** The balance. Negative: a debt. */
  level(now: number): number {
    this.#refill(now);
    return this.#parts / MINUTE_MS;
  }

  /** @param amount a negative amount is given back, up to the capacity */
  take(amount: number, now: number): void {
    this.#refill(now);
    this.#put(this.#parts - amount * MINUTE_MS);
  }

  /** Milliseconds until the bucket holds this amount, or its capacity if that is less. */
  msUntil(amount: number, now: number): number {
    this.#refill(now);
    return Math.max(0, Math.ceil((amount * MINUTE_MS - this.#parts) / this.capacity));
  }

  #refill(now: number): void {
    const elapsed_ms = Math.max(0, now - this.#at);
    this.#at += elapsed_ms;
    this.#put(this.#parts + elapsed_ms * this.capacity);
  }

  #put(parts: number): void {
    this.#parts = Math.min(this.capacity * MINUTE_MS, parts);
  }
}
