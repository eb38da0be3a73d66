/** One ledger record as it leaves: `bytes` are the stored canonical JSON, exactly what the hash was computed over plus `hash`. */
export interface ExportRecord {
  readonly seq: number;
  /** `sha256:` and 64 lowercase hex characters. Unique, so a sink can use it as idempotency key. */
  readonly hash: string;
  readonly bytes: string;
}

/** What the kernel reads of an error that `deliver` or `checkpoint` throws; each may be left out. */
export interface DeliveryFailure {
  /** Why, in 2 to 64 letters, digits and underscores: logged and a metric's label, so nothing that the destination wrote. Else the error's name is taken. */
  readonly code?: string | undefined;
  /** The pause that the destination asks for. An hour is waited at most. */
  readonly retry_after_ms?: number | undefined;
  /** Last `seq` that the destination had durably taken before the failure. */
  readonly through?: number | undefined;
}

/**
 * Carries every ledger record to one destination.
 *
 * The kernel calls `open`, then `deliver` with batches in exact order of `seq`, one batch in flight. After a failure it calls `close`, and after
 * a while `open` again, and goes on from the last `through`; so after a restart. Authors must not queue, retry or reorder: keep nothing in memory once `deliver` has settled, throw on
 * failure (see {@link DeliveryFailure}), and say how far the sink has durably taken the batch. Delivery is at least once; a sink that must not see a record twice
 * recognises it by `hash`.
 */
export interface Exporter {
  /**
   * What no other exporter of the same gateway may write to, by names that are equal where the place is, such as the real path of a file. Left
   * out: others may write there too.
   */
  readonly destinations?: readonly string[];
  /** Called before the first delivery, and again after each `close`. `cursor`: the last seq known to be delivered, 0 for none. Throw to refuse (a foreign ledger in the destination). */
  open(context: { ledgerId: string; cursor: number; signal: AbortSignal }): Promise<void>;
  /** Resolves when the destination holds everything up to `through` durably; `through` may be less than the batch's end, never more. */
  deliver(records: readonly ExportRecord[], signal: AbortSignal): Promise<{ through: number }>;
  /**
   * A signed checkpoint (C2SP tlog-checkpoint note) over records that were all delivered. No ledger record; the newest replaces older ones. Never
   * called while a delivery is in flight. After a failure the exporter stays open, and a later checkpoint comes.
   */
  checkpoint?(note: string, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}
