/** One exported ledger record: `bytes` are the stored canonical JSON, exactly what the hash was computed over plus `hash`. */
export interface ExportRecord {
  readonly seq: number;
  /** `sha256:` and 64 lowercase hex characters. Unique, so a sink can use it as idempotency key. */
  readonly hash: string;
  readonly bytes: string;
}

/** Optional fields of an error that `deliver` or `checkpoint` throws. */
export interface DeliveryFailure {
  /** Reason, in 2 to 64 letters, digits and underscores. It is logged and a metric label, so it must not contain text from the destination. Default: the error's name. */
  readonly code?: string | undefined;
  /** Delay that the destination asks for; at most one hour is honoured. */
  readonly retry_after_ms?: number | undefined;
  /** Last `seq` that the destination stored durably before the failure. */
  readonly through?: number | undefined;
}

/**
 * Carries every record of one log to one destination: of the ledger, and, as {@link Exporter.operations}, of the operations log.
 *
 * The kernel calls `open`, then `deliver` with batches in exact order of `seq`, one batch in flight. After a failure it calls `close`, later
 * `open` again, and continues from the last `through`; likewise after a restart. Authors must not queue, retry or reorder: keep nothing in memory once `deliver` has settled, throw on
 * failure (see {@link DeliveryFailure}), and return how much of the batch the sink has stored durably. Delivery is at least once; a sink that must not see a record twice
 * recognises it by `hash`.
 */
export interface Exporter {
  /**
   * Identifies a destination that no other exporter of the same gateway may write to, such as the real path of a file. Absent: the
   * destination can be shared.
   */
  readonly destinations?: readonly string[];
  /** Called before the first delivery, and again after each `close`. `cursor`: the last seq known to be delivered, 0 for none. Throw to refuse (a foreign ledger in the destination). */
  open(context: { ledgerId: string; cursor: number; signal: AbortSignal }): Promise<void>;
  /** Resolves when the destination has stored everything up to `through` durably; `through` may be before the end of the batch, never after it. */
  deliver(records: readonly ExportRecord[], signal: AbortSignal): Promise<{ through: number }>;
  /**
   * A signed checkpoint (C2SP tlog-checkpoint note) over delivered records. It is not a ledger record; the newest replaces older ones.
   * Never called while a delivery is in flight. After a failure the exporter stays open and receives a later checkpoint.
   */
  checkpoint?(note: string, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
  /**
   * Present if the exporter also takes the operations log. The kernel opens, feeds and closes this instance like the outer one, but
   * independently, with its own position. Its `ledgerId` ends in `/operations`, and it has no `operations` of its own.
   */
  readonly operations?: Exporter | undefined;
}
