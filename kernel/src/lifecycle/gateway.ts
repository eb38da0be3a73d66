import { randomUUID } from 'node:crypto';
import type { Clock, LedgerQuery, Logger, ModelInventory, RunStatus, Store, StoredRecord } from '../contracts/index.ts';
import { inventoryRecord, newestInventory, type RouteInventory } from '../ledger/inventory.ts';
import { Journal } from '../ledger/journal.ts';
import { harmless, type Observer } from '../observer.ts';
import { nodesOf, type PipelineNode, type RuntimeRoute, withinLimit } from '../pipeline/index.ts';
import { instanceLease, Runs } from '../runs/index.ts';

export interface GatewayOptions {
  /** Not opened yet; the gateway opens and closes it. */
  readonly store: Store;
  readonly routes: readonly { readonly runtime: RuntimeRoute; readonly inventory: RouteInventory }[];
  readonly config_digest: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly observer: Observer;
  readonly record_content: boolean;
  readonly result_ttl_ms: number;
  readonly expire_after_ms: number;
  /** False for a process of a server that has sealed its inventory: one record a route at each start of a server. */
  readonly seals_inventory: boolean;
}

/** The report of `GET /v1/audit/report`. */
export interface AuditReport {
  readonly generated_at: string;
  /** The inventory records of this start, as sealed. */
  readonly inventory: readonly ModelInventory[];
  readonly run_stats: Readonly<Record<RunStatus, number>>;
  readonly chain_length: number;
}

const LEASE_TTL_MS = 30_000;
const RENEW_EVERY_MS = 10_000;
/** A process whose own lease was not renewed for so long was stopped, or its store was away: the leases of others may have run out by that. */
const MOST_UNRENEWED_MS = 15_000;
const EXPIRE_EVERY_MS = 60_000;
const GUARD_START_MS = 60_000;
/** What is under way when the server is told to stop has this long to finish. */
const GRACE_MS = 5_000;

/** The running kernel: runs, the ledger behind them, and what must happen from time to time. */
export class Gateway {
  readonly runs: Runs;
  readonly #options: GatewayOptions;
  readonly #journal: Journal;
  readonly #instance: string;
  readonly #timers: NodeJS.Timeout[] = [];
  #inventory: readonly ModelInventory[] = [];
  /** When the lease was last renewed, NaN before it was taken. Monotonic milliseconds. */
  #renewedAt = Number.NaN;
  /** After an outage of the store others live whose leases have run out: they get the time to renew them. Monotonic milliseconds. */
  #judgesOthersFrom = Number.NEGATIVE_INFINITY;

  private constructor(options: GatewayOptions, instance: string) {
    this.#options = options;
    this.#instance = instance;
    const observer = harmless(options.observer);
    const { store, clock, logger } = options;
    const afterOutage = (): void => void this.#quietly('recovery', () => this.#recover());
    this.#journal = new Journal(store, { clock, logger, observer, afterOutage });
    this.runs = new Runs({
      ...options,
      observer,
      journal: this.#journal,
      routes: new Map(options.routes.map(({ runtime }) => [runtime.name, runtime])),
      instance,
    });
  }

  /**
   * Opens the store, starts the guards, seals the inventory and takes care of runs that a dead process left behind.
   * @throws with the store closed again, when any of that fails
   */
  static async open(options: GatewayOptions): Promise<Gateway> {
    await options.store.open();
    const gateway = new Gateway(options, randomUUID());
    try {
      await gateway.#start();
      return gateway;
    } catch (error) {
      await gateway.close();
      throw error;
    }
  }

  /** Whether evidence can be written, as far as can be told without writing; after a failure it is tried. */
  async writable(): Promise<boolean> {
    try {
      await this.#journal.assertWritable();
      await this.#options.store.head();
      return true;
    } catch {
      return false;
    }
  }

  records(query: LedgerQuery): Promise<readonly StoredRecord[]> {
    return this.#options.store.records(query);
  }

  async chainLength(): Promise<number> {
    return (await this.#options.store.head())?.seq ?? 0;
  }

  countRuns(): Promise<Record<RunStatus, number>> {
    return this.#options.store.countRuns();
  }

  async report(): Promise<AuditReport> {
    return {
      generated_at: new Date(this.#options.clock.now()).toISOString(),
      inventory: this.#inventory,
      run_stats: await this.countRuns(),
      chain_length: await this.chainLength(),
    };
  }

  /** Takes no new work and waits until every run has its evidence. */
  async endRuns(): Promise<void> {
    await this.runs.close(GRACE_MS);
  }

  /** Ends every run, then lets go of the store. Guards and providers are their maker's to close. */
  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await this.endRuns();
    await this.#journal.drain();
    await this.#quietly('lease_release', () => this.#releaseLease());
    await this.#options.store.close();
  }

  async #start(): Promise<void> {
    for (const node of this.#nodes()) await startGuard(node);
    await this.#renewLease();
    this.#inventory = this.#options.seals_inventory ? await this.#sealInventory() : await this.#readInventory();
    await this.#recover();
    this.#every(LEASE_TTL_MS, 'recovery', () => this.#recover());
    this.#every(RENEW_EVERY_MS, 'lease_renewal', () => this.#renewLease());
    this.#every(EXPIRE_EVERY_MS, 'expiry', () => this.#expire());
  }

  async #sealInventory(): Promise<ModelInventory[]> {
    const { store, clock, routes } = this.#options;
    const records = await Promise.all(routes.map(({ inventory }) => inventoryRecord(inventory, store, clock.now())));
    const sealed = await this.#journal.append(records);
    return sealed.map(({ bytes }) => JSON.parse(bytes) as ModelInventory);
  }

  async #readInventory(): Promise<ModelInventory[]> {
    const { store, routes } = this.#options;
    const newest = await Promise.all(routes.map(({ inventory }) => newestInventory(inventory, store)));
    return newest.filter((record) => record !== null);
  }

  #nodes(): PipelineNode[] {
    return [
      ...new Map(this.#options.routes.flatMap(({ runtime }) => nodesOf(runtime)).map((node) => [node.name, node])).values(),
    ];
  }

  async #renewLease(): Promise<void> {
    const { store, clock } = this.#options;
    const asked = clock.monotonic();
    const lease = await store.acquireLease(instanceLease(this.#instance), this.#instance, LEASE_TTL_MS);
    if (lease === null) throw new Error('the lease of this instance is held by another');
    const now = clock.monotonic();
    if (now - this.#renewedAt > MOST_UNRENEWED_MS) this.#judgesOthersFrom = now + LEASE_TTL_MS;
    this.#renewedAt = asked;
  }

  #judgesOthers(): boolean {
    const now = this.#options.clock.monotonic();
    return now - this.#renewedAt <= MOST_UNRENEWED_MS && now >= this.#judgesOthersFrom;
  }

  async #releaseLease(): Promise<void> {
    const lease = await this.#options.store.acquireLease(instanceLease(this.#instance), this.#instance, LEASE_TTL_MS);
    if (lease !== null) await this.#options.store.releaseLease(lease);
  }

  /** Again and again, since an instance can die, or a store be away, at any time. */
  async #recover(): Promise<void> {
    const recovered = await this.runs.recover(this.#judgesOthers());
    if (recovered.requeued + recovered.interrupted > 0) this.#options.logger.warn({ event: 'recovered', ...recovered });
  }

  /** One process at a time looks for what ran out. */
  async #expire(): Promise<void> {
    const lease = await this.#options.store.acquireLease('expiry', this.#instance, 2 * EXPIRE_EVERY_MS);
    if (lease !== null) await this.runs.expire();
  }

  #every(interval_ms: number, event: string, work: () => Promise<void>): void {
    const timer = setInterval(() => void this.#quietly(event, work), interval_ms);
    timer.unref();
    this.#timers.push(timer);
  }

  async #quietly(event: string, work: () => unknown): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#options.logger.warn({ event: `${event}_failed`, reason: error instanceof Error ? error.name : 'unknown' });
    }
  }
}

async function startGuard(node: PipelineNode): Promise<void> {
  if (node.guard.start === undefined) return;
  const where = `guard "${node.name}" (${node.package} ${node.version})`;
  try {
    const started = await withinLimit(node.guard.start(), GUARD_START_MS, new AbortController().signal);
    if (started.done) return;
  } catch (cause) {
    throw new Error(`${where} failed to start`, { cause });
  }
  throw new Error(`${where} did not start within ${GUARD_START_MS / 1000} s`);
}
