import { type Clock, SvcError } from '@svc/contracts';
import { ATTEMPT_S } from '../http/sign-in.ts';

/** Maximum number at the same time, because callers are not authenticated yet and each attempt sends a request to the issuer. */
const MAX_UNDER_WAY = 32;
/** Maximum number that are remembered. Beyond that, the oldest are removed. */
const MAX_TAKEN = 10_000;
const RETRY_AFTER_S = 5;

/** Sign-in attempts that returned to this process. Each is accepted once, and few at the same time. */
export class Attempts {
  readonly #clock: Clock;
  /** When each was accepted, on the monotonic clock, oldest first. */
  readonly #taken = new Map<string, number>();
  #under_way = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @throws {SvcError} SVC-AUTH-001 for an attempt that was already used, SVC-BUSY-001, and errors of `ask` */
  async take<T>(state: string, ask: () => Promise<T>): Promise<T> {
    if (this.#taken.has(state)) throw new SvcError('SVC-AUTH-001', 'this sign-in was already completed; sign in again');
    if (this.#under_way >= MAX_UNDER_WAY)
      throw new SvcError('SVC-BUSY-001', 'too many people are signing in; try again later', { retry_after_s: RETRY_AFTER_S });
    this.#remember(state);
    this.#under_way += 1;
    try {
      return await ask();
    } finally {
      this.#under_way -= 1;
    }
  }

  #remember(state: string): void {
    const now = this.#clock.monotonic();
    for (const [other, at] of this.#taken) {
      if (now - at <= ATTEMPT_S * 1000 && this.#taken.size < MAX_TAKEN) break;
      this.#taken.delete(other);
    }
    this.#taken.set(state, now);
  }
}
