/** One exported ledger record. `bytes` is the stored canonical JSON, which is the hashed text with the field `hash` added. */
export interface ExportRecord {
  readonly seq: number;
  /** `sha256:` and 64 lowercase hex characters. Unique, so a sink can use it as an idempotency key. */
  readonly hash: string;
  readonly bytes: string;
}

/** Optional fields of an error that `deliver` or `checkpoint` throws. */
export interface DeliveryFailure {
  /**
   * The reason as a code of 2 to 64 letters, digits and underscores. It is logged and becomes a metric label, so it must not contain text from the
   * destination. Default: the error's name.
   */
  readonly code?: string | undefined;
  /** The delay that the destination requested. The kernel waits at most one hour. */
  readonly retry_after_ms?: number | undefined;
  /** The last `seq` that the destination had stored durably when the delivery failed. */
  readonly through?: number | undefined;
}

/**
 * Delivers every record of a log to one destination. The log is the ledger or, for {@link Exporter.operations}, the operations log.
 *
 * The kernel calls `open`, then `deliver` with batches in exact order of `seq`, one batch at a time. After a failure it calls `close`, later calls
 * `open` again, and continues after the last `through`. It does the same after a restart.
 *
 * Authors must not queue, retry or reorder records. Keep nothing in memory once `deliver` has settled. Throw on failure (see {@link
 * DeliveryFailure}), and return how much of the batch the sink has stored durably. Delivery is at least once. If a sink must not store a record
 * twice, compare `hash`.
 */
export interface Exporter {
  /**
   * Identifies destinations that no other exporter of the same gateway may write to, such as the real path of a file. Absent: several exporters may
   * share the destination.
   */
  readonly destinations?: readonly string[];
  /**
   * Called before the first delivery, and again after each `close`. `cursor`: the last seq known to be delivered; 0 if none is. Throw to refuse, for
   * example if the destination holds another ledger.
   */
  open(context: { ledgerId: string; cursor: number; signal: AbortSignal }): Promise<void>;
  /** Resolves when the destination has stored everything up to `through` durably: the seq of any record of the batch, but of none after it. */
  deliver(records: readonly ExportRecord[], signal: AbortSignal): Promise<{ through: number }>;
  /**
   * A signed checkpoint (C2SP tlog-checkpoint note) over delivered records. A checkpoint is not a ledger record; the newest replaces the older ones.
   * Never called while a delivery is in flight. After a failure the exporter stays open and receives a later checkpoint.
   */
  checkpoint?(note: string, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
  /**
   * Present if the exporter also receives the operations log. The kernel opens, feeds and closes this instance like the outer one, but
   * independently, with its own position. Its `ledgerId` ends in `/operations`, and it has no `operations` of its own.
   */
  readonly operations?: Exporter | undefined;
}
