import type { Clock } from '@svc/kernel/contracts';

/** A clock that stands still until it is told to go on. */
export class TestClock implements Clock {
  #ms = Date.UTC(2026, 0, 5, 9, 0, 0);

  now(): number {
    return this.#ms;
  }

  monotonic(): number {
    return this.#ms;
  }

  advance(ms: number): void {
    this.#ms += ms;
  }
}
