/** One counter to reserve on. All amounts are non-negative integers (tokens, micro-dollars, requests). */
export interface CounterHold {
  /** At most 512 bytes. Includes the period, if the limit has one (`…/2026-11-21`): a counter never resets, so a new period is a new key. */
  readonly key: string;
  readonly amount: number;
  /** The reservation is refused if the counter's spent + reserved + `amount` would exceed this. */
  readonly limit: number;
  /** When the store may delete the counter and its reservations, in milliseconds since the epoch. */
  readonly expires_at: number;
  /**
   * Names the limit in notices to operators, with names of the configuration and ids only, such as `spend/principal-tokens-day/alice`. Absent: no
   * notice is sent when the limit is nearly used up.
   */
  readonly label?: string;
}

export type ReserveOutcome =
  | { readonly granted: true }
  /** Nothing was reserved. `key` is the first key whose limit would be exceeded; `used` is that key's spent + reserved. */
  | { readonly granted: false; readonly key: string; readonly used: number };

/** Adds actual spend to a counter and releases a reservation. Applied in the commit that ends the run. */
export interface CounterSettlement {
  /** The id of the reservation to release. Unknown ids are ignored. */
  readonly reservation: string;
  readonly spend: readonly { readonly key: string; readonly amount: number; readonly expires_at: number }[];
}

export interface Counters {
  /**
   * Reserves amounts on several counters: all or none. The reservation is durable when the promise resolves. Idempotent by `id`: a second call with
   * the same id is granted and changes nothing. Derive the id from run and node, so that a resumed run does not reserve twice.
   */
  reserve(id: string, holds: readonly CounterHold[]): Promise<ReserveOutcome>;
  /** Spent + reserved of each key. 0 for an unknown key. */
  read(keys: readonly string[]): Promise<number[]>;
}
