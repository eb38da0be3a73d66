import { type KeyObject, randomUUID } from 'node:crypto';
import {
  type Clock,
  type LedgerQuery,
  type Logger,
  type ModelInventory,
  type RunStatus,
  type Store,
  type StoredRecord,
  SvcError,
} from '../contracts/index.ts';
import { ExportQueue, type ExportTarget } from '../ledger/export/queue.ts';
import { inventoryRecord, newestInventory, type RouteInventory } from '../ledger/inventory.ts';
import { Journal } from '../ledger/journal.ts';
import { ledgerId } from '../ledger/ledger-id.ts';
import { GuardFile } from '../ledger/tree/guard-file.ts';
import { AlteredLedger, type ConsistencyProof, type SignedCheckpoint, TreeKeeper } from '../ledger/tree/keeper.ts';
import { harmless, type Observer } from '../observer.ts';
import { nodesOf, type PipelineNode, type RuntimeRoute, withinLimit } from '../pipeline/index.ts';
import { verifierKey } from '../proof/index.ts';
import type { Rag, RagFolders } from '../rag/index.ts';
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
  readonly ledger: LedgerOptions;
  readonly exporters: readonly ExportTarget[];
  /** Not opened yet, and the folders for it (null: the runs are in a database); null where RAG is not configured. */
  readonly rag: { readonly service: Rag; readonly folders: RagFolders | null } | null;
}

export interface LedgerOptions {
  /** Null: the id that the ledger was given when it was made. */
  readonly origin: string | null;
  /** Ed25519 private keys that sign checkpoints, the newest first; at least one. */
  readonly signing_keys: readonly KeyObject[];
  readonly guard_file: string | null;
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
/** What a crash of the whole machine may leave unsigned. */
const CHECKPOINT_EVERY_MS = 10_000;
/** Where the newest key's public form is remembered. */
const NEWEST_KEY = 'ledger/newest-key';
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
  #tree: TreeKeeper | null = null;
  #exports: readonly ExportQueue[] = [];
  /** When the lease was last renewed, NaN before it was taken. Monotonic milliseconds. */
  #renewedAt = Number.NaN;
  /** After an outage of the store others live whose leases have run out: they get the time to renew them. Monotonic milliseconds. */
  #judgesOthersFrom = Number.NEGATIVE_INFINITY;

  private constructor(options: GatewayOptions, instance: string) {
    this.#options = options;
    this.#instance = instance;
    const watching = harmless(options.observer);
    const observer: Observer = {
      ...watching,
      commit: (duration_ms, changes) => {
        watching.commit(duration_ms, changes);
        for (const queue of this.#exports) queue.wake();
      },
    };
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

  /** Null where it is not configured. */
  get rag(): Rag | null {
    return this.#options.rag?.service ?? null;
  }

  records(query: LedgerQuery): Promise<readonly StoredRecord[]> {
    return this.#options.store.records(query);
  }

  async chainLength(): Promise<number> {
    return (await this.#options.store.head())?.seq ?? 0;
  }

  /**
   * The newest signed head of the ledger's tree, as a C2SP note.
   * @throws {SvcError} SVC-STORE-001 for a ledger that is not what was sealed
   */
  async checkpoint(): Promise<SignedCheckpoint> {
    return this.#proven((tree) => tree.checkpoint());
  }

  /** A C2SP proof file. @throws {SvcError} SVC-REQ-001, SVC-STORE-001 */
  async inclusionProof(seq: number): Promise<string> {
    return this.#proven((tree) => tree.inclusion(seq));
  }

  /** @param to null: the newest checkpoint. @throws {SvcError} SVC-REQ-001, SVC-STORE-001 */
  async consistencyProof(from: number, to: number | null): Promise<ConsistencyProof> {
    return this.#proven((tree) => tree.consistency(from, to));
  }

  /** How far each exporter has taken the ledger, by name. */
  async exportCursors(): Promise<ReadonlyMap<string, number>> {
    const { store, exporters } = this.#options;
    return new Map(await Promise.all(exporters.map(async ({ name }) => [name, await store.cursor(name)] as const)));
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
    // What was sealed last is signed too, where the store still answers.
    if (this.#tree !== null) await this.#quietly('checkpoint', () => this.#tree?.checkpoint());
    await Promise.all(this.#exports.map((queue) => queue.close()));
    await this.#quietly('lease_release', () => this.#releaseLease());
    await this.#options.store.close();
  }

  async #start(): Promise<void> {
    const { store, clock, logger, exporters, rag } = this.#options;
    for (const node of this.#nodes()) await startGuard(node);
    await this.#renewLease();
    await rag?.service.open(rag.folders);
    this.#tree = await this.#openTree();
    this.#inventory = this.#options.seals_inventory ? await this.#sealInventory() : await this.#readInventory();
    const env = {
      store,
      clock,
      logger,
      observer: harmless(this.#options.observer),
      instance: this.#instance,
      ledgerId: await ledgerId(store),
    };
    this.#exports = exporters.map((target) => new ExportQueue(target, env));
    await this.#recover();
    this.#every(LEASE_TTL_MS, 'recovery', () => this.#recover());
    this.#every(RENEW_EVERY_MS, 'lease_renewal', () => this.#renewLease());
    this.#every(EXPIRE_EVERY_MS, 'expiry', () => this.#expire());
    this.#every(CHECKPOINT_EVERY_MS, 'checkpoint', () => this.#checkpointInTurn());
  }

  async #openTree(): Promise<TreeKeeper> {
    const { store, logger, ledger } = this.#options;
    const origin = ledger.origin ?? (await ledgerId(store));
    const signers = ledger.signing_keys.map((privateKey) => ({ name: origin, privateKey }));
    const guardFile = ledger.guard_file === null ? null : new GuardFile(ledger.guard_file);
    const tree = new TreeKeeper({ store, logger, origin, signers, guardFile });
    await tree.checkGuardFile();
    const keys = signers.map(verifierKey);
    logger.info({ event: 'ledger_keys', origin, verifier_keys: keys });
    await this.#noteKey(keys[0] ?? '');
    return tree;
  }

  /** Who checks with the key of before finds nothing signed by it: that must not happen unsaid. */
  async #noteKey(newest: string): Promise<void> {
    const { store, logger } = this.#options;
    const before = await store.readMeta(NEWEST_KEY);
    if (before === newest) return;
    if (before !== null) logger.warn({ event: 'ledger_key_changed', before, now: newest });
    await store.writeMeta(NEWEST_KEY, before, newest);
  }

  /** One process at a time, so that the others need not read the ledger again. */
  async #checkpointInTurn(): Promise<void> {
    const lease = await this.#options.store.acquireLease('checkpoint', this.#instance, 3 * CHECKPOINT_EVERY_MS);
    if (lease === null || this.#tree === null) return;
    const { note } = await this.#tree.checkpoint();
    for (const queue of this.#exports) queue.checkpoint(note);
  }

  async #proven<T>(ask: (tree: TreeKeeper) => Promise<T>): Promise<T> {
    if (this.#tree === null) throw new Error('the gateway is not open');
    try {
      return await ask(this.#tree);
    } catch (error) {
      if (!(error instanceof AlteredLedger)) throw error;
      throw new SvcError('SVC-STORE-001', error.message, { cause: error });
    }
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
    const { routes, rag } = this.#options;
    const nodes = [...routes.flatMap(({ runtime }) => nodesOf(runtime)), ...(rag?.service.nodes ?? [])];
    return [...new Map(nodes.map((node) => [node.name, node])).values()];
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
