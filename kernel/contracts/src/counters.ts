/** One counter to reserve on. All amounts are non-negative integers (tokens, micro-dollars, requests). */
export interface CounterHold {
  /** At most 512 bytes. Holds its own period where it has one (`…/2026-11-21`): a counter never resets, a new period is a new key. */
  readonly key: string;
  readonly amount: number;
  /** The reservation is refused where spent + held + amount would pass this. */
  readonly limit: number;
  /** Milliseconds since the epoch after which the store may forget the counter and what is held on it. */
  readonly expires_at: number;
}

export type ReserveOutcome =
  | { readonly granted: true }
  /** Nothing was held. `used` is spent + held on the first key that refused. */
  | { readonly granted: false; readonly key: string; readonly used: number };

/** Books real spend and drops a reservation. Applied in the same commit as the run's end. */
export interface CounterSettlement {
  /** Reservation to drop; unknown ids are ignored. */
  readonly reservation: string;
  readonly spend: readonly { readonly key: string; readonly amount: number; readonly expires_at: number }[];
}

export interface Counters {
  /**
   * Holds amounts on several counters, all or none, durable when it resolves. Idempotent by `id`: a second call with the same id is
   * granted and changes nothing. Use run and node for the id, so that a resumed run does not hold twice.
   */
  reserve(id: string, holds: readonly CounterHold[]): Promise<ReserveOutcome>;
  /** Spent + held of each key, 0 for an unknown one. */
  read(keys: readonly string[]): Promise<number[]>;
}
