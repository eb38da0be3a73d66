import type { Clock } from '@svc/contracts';

/** A clock that moves only when the test moves it. */
export interface FakeClock extends Clock {
  /** Moves both clocks forward. */
  advance(milliseconds: number): void;
  /** Sets the wall clock, as an administrator would. The monotonic clock does not move. */
  set(epochMilliseconds: number): void;
}

/** @param start initial wall-clock time, in milliseconds since the epoch; the monotonic clock starts at 0 */
export function fakeClock(start: number = Date.UTC(2026, 0, 1)): FakeClock {
  let wall = start;
  let monotonic = 0;
  return {
    now: () => wall,
    monotonic: () => monotonic,
    advance(milliseconds) {
      wall += milliseconds;
      monotonic += milliseconds;
    },
    set(epochMilliseconds) {
      wall = epochMilliseconds;
    },
  };
}
