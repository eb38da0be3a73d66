import type { Clock, Exporter, ExportRecord, Lease, Logger, Store } from '../../contracts/index.ts';
import type { Observer } from '../../observer.ts';
import { withinLimit } from '../../pipeline/index.ts';
import { backoffMs } from './backoff.ts';

/** A destination, as the configuration names it. */
export interface ExportTarget {
  /** Unique; its cursor is kept under it. */
  readonly name: string;
  readonly exporter: Exporter;
  /** Where a name that was never used begins: with the first record, or with what comes from now on. */
  readonly from: 'start' | 'now';
}

export interface ExportEnv {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly observer: Observer;
  /** Holder of the leases. */
  readonly instance: string;
  readonly ledgerId: string;
}

/** Records of one delivery. */
const BATCH = 256;
const LEASE_TTL_MS = 30_000;
const RENEW_EVERY_MS = 10_000;
/** How often the ledger is looked at for what other processes sealed. */
const LOOK_EVERY_MS = 1_000;
/** After this a delivery is told to give up. The next one waits until it has. */
const DELIVERY_LIMIT_MS = 60_000;
/** An exporter that does not give up when told to is left behind at a stop. */
const CLOSE_LIMIT_MS = 5_000;

/** The exporter broke its contract: said that it took what it was not given, or nothing. */
class WrongProgress extends Error {
  override readonly name = 'WrongProgress';
}

/** Another process has the lease now. */
class LostLease extends Error {
  override readonly name = 'LostLease';
}

/**
 * Carries the ledger to one destination. The ledger itself is the queue: a stored cursor says how far it was taken, and nothing is held
 * but the batch in flight. One process at a time has the lease of the name; a failure is tried again for ever.
 */
export class ExportQueue {
  readonly #target: ExportTarget;
  readonly #env: ExportEnv;
  readonly #closing = new AbortController();
  readonly #done: Promise<void>;
  #wake = Promise.withResolvers<void>();
  #failures = 0;
  /** The last one that was had; another process may have it by now. */
  #lease: Lease | null = null;
  #checkpoint: string | null = null;

  constructor(target: ExportTarget, env: ExportEnv) {
    this.#target = target;
    this.#env = env;
    this.#done = this.#run().finally(() => this.#letGo());
  }

  /** There may be more in the ledger. */
  wake(): void {
    this.#wake.resolve();
  }

  /** The newest checkpoint takes the place of one that was not delivered yet. */
  checkpoint(note: string): void {
    if (this.#target.exporter.checkpoint === undefined) return;
    this.#checkpoint = note;
    this.wake();
  }

  /** The delivery in flight is told to give up; what it did not take is delivered after the next start. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.wake();
    await withinLimit(this.#done, CLOSE_LIMIT_MS, new AbortController().signal);
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        const lease = await this.#acquire();
        if (lease === null) await this.#idle(LEASE_TTL_MS / 3);
        else await this.#serve(lease);
      } catch (error) {
        if (signal.aborted) return;
        await this.#failed(error);
      }
    }
  }

  #acquire(): Promise<Lease | null> {
    const { store, instance } = this.#env;
    return store.acquireLease(`export/${this.#target.name}`, instance, LEASE_TTL_MS);
  }

  /** Delivers for as long as the lease is held. */
  async #serve(lease: Lease): Promise<void> {
    const { ledgerId } = this.#env;
    const { exporter } = this.#target;
    this.#lease = lease;
    const held = new AbortController();
    const giveUp = (): void => held.abort();
    this.#closing.signal.addEventListener('abort', giveUp, { once: true });
    const renewing = setInterval(() => void this.#renew(lease, held), RENEW_EVERY_MS);
    try {
      let cursor = await this.#begin(lease);
      await exporter.open({ ledgerId, cursor, signal: held.signal });
      while (!held.signal.aborted) cursor = await this.#step(cursor, lease, held.signal);
    } finally {
      clearInterval(renewing);
      this.#closing.signal.removeEventListener('abort', giveUp);
      await exporter.close().catch(() => undefined);
    }
  }

  /** At the end, also where the last delivery failed: whoever comes next need not wait. */
  async #letGo(): Promise<void> {
    if (this.#lease !== null) await this.#env.store.releaseLease(this.#lease).catch(() => undefined);
  }

  async #renew(lease: Lease, held: AbortController): Promise<void> {
    const renewed = await this.#acquire().catch(() => null);
    if (renewed?.token !== lease.token) held.abort();
  }

  async #begin(lease: Lease): Promise<number> {
    const { store } = this.#env;
    const { name, from } = this.#target;
    const cursor = await store.cursor(name);
    if (cursor > 0 || from === 'start') return cursor;
    const now = (await store.head())?.seq ?? 0;
    if (!(await store.moveCursor(name, now, lease))) throw new LostLease();
    return now;
  }

  /** One delivery, or a wait for something to deliver. */
  async #step(cursor: number, lease: Lease, signal: AbortSignal): Promise<number> {
    const { store, observer } = this.#env;
    const { name, exporter } = this.#target;
    const stored = await store.records({ since_seq: cursor, limit: BATCH });
    const last = stored.at(-1)?.seq;
    if (last === undefined) {
      await this.#deliverCheckpoint(signal);
      await this.#idle(LOOK_EVERY_MS);
      return cursor;
    }
    const records = stored.map(({ seq, bytes }): ExportRecord => ({ seq, hash: hashIn(bytes), bytes }));
    const { through } = await this.#limited(signal, (limited) => exporter.deliver(records, limited));
    if (!Number.isInteger(through) || through <= cursor || through > last) throw new WrongProgress();
    if (!(await store.moveCursor(name, through, lease))) throw new LostLease();
    this.#failures = 0;
    observer.exported(name, through);
    return through;
  }

  async #deliverCheckpoint(signal: AbortSignal): Promise<void> {
    const note = this.#checkpoint;
    const { exporter } = this.#target;
    if (note === null || exporter.checkpoint === undefined) return;
    const deliver = exporter.checkpoint.bind(exporter);
    await this.#limited(signal, (limited) => deliver(note, limited));
    this.#failures = 0;
    if (this.#checkpoint === note) this.#checkpoint = null;
  }

  /** Waits for the answer however long it takes: two deliveries at once could be out of order. */
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
    const { logger, observer } = this.#env;
    const { name } = this.#target;
    this.#failures += 1;
    const reason = reasonOf(error);
    observer.exportFailed(name, reason);
    const wait_ms = Math.max(Math.round(backoffMs(this.#failures)), retryAfterMs(error));
    logger.warn({ event: 'export_failed', exporter: name, reason, failures: this.#failures, wait_ms });
    await withinLimit(new Promise<never>(() => undefined), wait_ms, this.#closing.signal);
  }

  async #idle(ms: number): Promise<void> {
    await withinLimit(this.#wake.promise, ms, this.#closing.signal);
    this.#wake = Promise.withResolvers();
  }
}

/** In canonical JSON of a record this is where its own hash stands: the other hashes of it are named otherwise. */
function hashIn(bytes: string): string {
  const { hash } = JSON.parse(bytes) as { hash: string };
  return hash;
}

/** A code or a name: what a sink says in words may hold what it was sent. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** What a sink asks for, in milliseconds: exporters say it as `retry_after_ms` of the error that they throw. */
function retryAfterMs(error: unknown): number {
  const asked = error instanceof Error && 'retry_after_ms' in error ? Number(error.retry_after_ms) : 0;
  return Number.isFinite(asked) && asked > 0 ? Math.min(asked, 3_600_000) : 0;
}
