import { type Clock, SvcError } from '@svc/contracts';
import { ATTEMPT_S } from '../http/sign-in.ts';

/** At once. Nobody who comes back from an issuer is known yet, and for each the issuer is asked. */
const MAX_UNDER_WAY = 32;
/** The oldest are forgotten first. */
const MAX_TAKEN = 10_000;
const RETRY_AFTER_S = 5;

/** Attempts to sign in that came back, in this process: each is taken once, and few at a time. */
export class Attempts {
  readonly #clock: Clock;
  /** When each was taken, on the monotonic clock, the oldest first. */
  readonly #taken = new Map<string, number>();
  #under_way = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @throws {SvcError} SVC-AUTH-001 for one that was taken before, SVC-BUSY-001, and what `ask` throws */
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
