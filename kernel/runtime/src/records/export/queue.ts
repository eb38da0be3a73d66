import {
  type Exporter,
  type ExportRecord,
  type Lease,
  type Logger,
  type Store,
  type StoredRecord,
  withTimeout,
} from '@svc/contracts';
import type { Observer } from '@svc/kernel/observing';
import { backoffMs } from '../retry/backoff.ts';
import { reasonOf, retryAfterMs } from '../retry/delivery-failure.ts';
import type { RecordSource, SignedCheckpoint } from '../tree/keeper.ts';

/** A destination from the configuration. */
export interface ExportTarget {
  /** Unique, because the cursor is stored under this name. */
  readonly name: string;
  readonly exporter: Exporter;
  /** Where a new destination begins: with the first record, or with the next new one. */
  readonly from: 'start' | 'now';
}

/** A signed checkpoint: its note, and how many records it covers. */
type SignedHead = Pick<SignedCheckpoint, 'note' | 'size'>;

export interface ExportEnv {
  /** Where cursors and leases are kept. */
  readonly store: Pick<Store, 'cursor' | 'moveCursor' | 'acquireLease' | 'releaseLease'>;
  /** The log: the ledger, or the operations log. */
  readonly source: RecordSource & Pick<Store, 'head'>;
  readonly logger: Logger;
  readonly observer: Observer;
  /** Name of this process as a holder of leases. */
  readonly instance: string;
  /** Id of the log. */
  readonly ledgerId: string;
}

/** Maximum number of records in one delivery. */
const BATCH = 256;
const LEASE_TTL_MS = 30_000;
const RENEW_EVERY_MS = 10_000;
/** How often the log is polled for records of other processes. */
const POLL_EVERY_MS = 1_000;
/** After this time, a delivery is aborted. The next one waits until the aborted one has ended. */
const DELIVERY_LIMIT_MS = 60_000;

/** The exporter violated its contract: it reported records that it had not received, or no progress. */
class WrongProgress extends Error {
  override readonly name = 'WrongProgress';
}

/** Another process has the lease now. */
class LostLease extends Error {
  override readonly name = 'LostLease';
}

/**
 * Delivers a log to one destination. The log itself is the queue: a stored cursor records the progress, and only the batch in flight is in memory.
 * Only the process that holds the lease with the destination's name delivers. Failed deliveries are retried forever.
 */
export class ExportQueue {
  readonly #target: ExportTarget;
  readonly #env: ExportEnv;
  readonly #closing = new AbortController();
  readonly #done: Promise<void>;
  #wake = Promise.withResolvers<void>();
  #failures = 0;
  /** The latest lease that this process held. Another process may hold it by now. */
  #lease: Lease | null = null;
  /** Last seq that is known to be delivered. */
  #through = 0;
  /** Checkpoints to deliver: the first one whose records are not all delivered, and the newest one. */
  #heads: readonly SignedHead[] = [];
  /** The note of the last delivered checkpoint. */
  #delivered: string | null = null;

  constructor(target: ExportTarget, env: ExportEnv) {
    this.#target = target;
    this.#env = env;
    this.#done = this.#run().finally(() => this.#release());
  }

  get name(): string {
    return this.#target.name;
  }

  /** Checks for more records. */
  wake(): void {
    this.#wake.resolve();
  }

  /** Takes the newest checkpoint, even if it is known. It is delivered after its records, unless a newer one can be delivered by then. */
  checkpoint({ note, size }: SignedHead): void {
    const isKnown = note === this.#delivered || this.#heads.some((head) => head.note === note);
    if (isKnown || this.#target.exporter.checkpoint === undefined) return;
    // The first checkpoint is kept. If records arrive faster than they are delivered, the records of the newest one would never be complete.
    this.#heads = [...this.#heads.slice(0, 1), { note, size }];
    this.wake();
  }

  /** Aborts the delivery in flight, and waits for the exporter as long as that takes. The rest is delivered after the next start. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.wake();
    await this.#done;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        const lease = await this.#acquire();
        if (lease === null) await this.#standBy();
        else await this.#serve(lease);
      } catch (error) {
        if (signal.aborted) return;
        await this.#failed(error);
      }
    }
  }

  /** Waits while another process delivers. If that process makes progress, the count of failures here starts from zero. Commits do not end this wait. */
  async #standBy(): Promise<void> {
    if (this.#failures > 0) {
      const { name } = this.#target;
      const through = await this.#env.store.cursor(name);
      if (through > this.#through) this.#advanced(through);
    }
    await this.#pause(LEASE_TTL_MS / 3);
  }

  #acquire(): Promise<Lease | null> {
    const { store, instance } = this.#env;
    return store.acquireLease(`export/${this.#target.name}`, instance, LEASE_TTL_MS);
  }

  /** Delivers for as long as it holds the lease. */
  async #serve(lease: Lease): Promise<void> {
    const { ledgerId } = this.#env;
    const { exporter } = this.#target;
    this.#lease = lease;
    const held = new AbortController();
    const giveUp = (): void => held.abort();
    this.#closing.signal.addEventListener('abort', giveUp, { once: true });
    const renewing = setInterval(() => void this.#renew(lease, held), RENEW_EVERY_MS);
    try {
      this.#through = await this.#begin(lease);
      await exporter.open({ ledgerId, cursor: this.#through, signal: held.signal });
      while (!held.signal.aborted) await this.#step(lease, held.signal);
    } finally {
      clearInterval(renewing);
      this.#closing.signal.removeEventListener('abort', giveUp);
      await exporter.close().catch((error: unknown) => this.#warn({ event: 'export_close_failed' }, error));
    }
  }

  /** Releases the lease, even after a failed delivery, so that the next holder need not wait. */
  async #release(): Promise<void> {
    if (this.#lease !== null)
      await this.#env.store
        .releaseLease(this.#lease)
        .catch((error: unknown) => this.#warn({ event: 'export_lease_kept' }, error));
  }

  async #renew(lease: Lease, held: AbortController): Promise<void> {
    const renewed = await this.#acquire().catch(() => null);
    if (renewed?.token !== lease.token) held.abort();
  }

  async #begin(lease: Lease): Promise<number> {
    const { store, source } = this.#env;
    const { name, from } = this.#target;
    const cursor = await store.cursor(name);
    if (cursor > 0 || from === 'start') return cursor;
    const now = (await source.head())?.seq ?? 0;
    if (!(await store.moveCursor(name, now, lease))) throw new LostLease();
    return now;
  }

  /** Delivers once, or waits for something to deliver. */
  async #step(lease: Lease, signal: AbortSignal): Promise<void> {
    const stored = await this.#env.source.records({ since_seq: this.#through, limit: BATCH });
    if (stored.length > 0) await this.#deliver(stored, lease, signal);
    await this.#deliverCheckpoint(signal);
    if (stored.length === 0) await this.#idle(POLL_EVERY_MS);
  }

  async #deliver(stored: readonly StoredRecord[], lease: Lease, signal: AbortSignal): Promise<void> {
    const { exporter } = this.#target;
    const last = stored.at(-1)?.seq ?? 0;
    const records = stored.map(({ seq, bytes }): ExportRecord => ({ seq, hash: hashIn(bytes), bytes }));
    const outcome = await this.#limited(signal, (limited) => exporter.deliver(records, limited)).catch((error: unknown) => ({
      error,
    }));
    const through = 'error' in outcome ? storedBefore(outcome.error, this.#through) : outcome.through;
    if (through !== null) await this.#move(through, last, lease);
    if ('error' in outcome) throw outcome.error;
  }

  async #move(through: number, last: number, lease: Lease): Promise<void> {
    if (!Number.isInteger(through) || through <= this.#through || through > last) throw new WrongProgress();
    if (!(await this.#env.store.moveCursor(this.#target.name, through, lease))) throw new LostLease();
    this.#advanced(through);
  }

  #advanced(through: number): void {
    this.#through = through;
    this.#failures = 0;
    this.#env.observer.exported(this.#target.name, through);
  }

  /**
   * Delivers the newest checkpoint whose records are all delivered, so that the destination can check it against them. A failure does not delay the
   * records.
   */
  async #deliverCheckpoint(signal: AbortSignal): Promise<void> {
    const { exporter } = this.#target;
    const at = this.#heads.findLastIndex(({ size }) => size <= this.#through);
    const head = this.#heads[at];
    if (head === undefined || exporter.checkpoint === undefined) return;
    this.#heads = this.#heads.slice(at + 1);
    this.#delivered = head.note;
    const deliver = exporter.checkpoint.bind(exporter);
    try {
      await this.#limited(signal, (limited) => deliver(head.note, limited));
    } catch (error) {
      // Allows the checkpoint to be offered again.
      this.#delivered = null;
      if (!signal.aborted) await this.#pause(this.#report(error, retryAfterMs(error)));
    }
  }

  /** Aborts the work when the limit is reached, but waits until it has ended: two deliveries at once could be out of order. */
  async #limited<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const limit = new AbortController();
    const giveUp = (): void => limit.abort();
    const timer = setTimeout(giveUp, DELIVERY_LIMIT_MS);
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) giveUp();
    try {
      return await work(limit.signal);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
    }
  }

  async #failed(error: unknown): Promise<void> {
    this.#failures += 1;
    await this.#pause(this.#report(error, Math.max(Math.round(backoffMs(this.#failures)), retryAfterMs(error))));
  }

  #report(error: unknown, wait_ms: number): number {
    const { logger, observer } = this.#env;
    const { name } = this.#target;
    const reason = reasonOf(error);
    observer.exportFailed(name, reason);
    logger.warn({ event: 'export_failed', exporter: name, reason, failures: this.#failures, wait_ms });
    return wait_ms;
  }

  #warn(line: { readonly event: string }, error: unknown): void {
    this.#env.logger.warn({ ...line, exporter: this.#target.name, reason: reasonOf(error) });
  }

  /** Only a shutdown ends the wait early. */
  async #pause(ms: number): Promise<void> {
    await withTimeout(new Promise<never>(() => undefined), ms, this.#closing.signal);
  }

  async #idle(ms: number): Promise<void> {
    await withTimeout(this.#wake.promise, ms, this.#closing.signal);
    this.#wake = Promise.withResolvers();
  }
}

function hashIn(bytes: string): string {
  const { hash } = JSON.parse(bytes) as { hash: string };
  return hash;
}

/** The last seq that a sink stored before it failed; null if it stored none of the batch. */
function storedBefore(error: unknown, cursor: number): number | null {
  const through: unknown = error instanceof Error ? Reflect.get(error, 'through') : null;
  return typeof through === 'number' && through > cursor ? through : null;
}
