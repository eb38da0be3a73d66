import { errorName, type ModelInventory, type SealedRecord, SvcError, withTimeout } from '@svc/contracts';
import { PauseLimits } from '../admission/pause-limits.ts';
import { OpaqueHandles } from '../content/opaque-handles.ts';
import { ContentVault } from '../content/vault.ts';
import { LedgerWriter } from '../core/ledger-writer.ts';
import { nodesOf, type PipelineNode, type RuntimeRoute } from '../core/route.ts';
import type { RunsEnv } from '../core/runs-env.ts';
import { Circuits } from '../endpoints/circuits.ts';
import { ExportQueue } from '../ledger/export/queue.ts';
import { changedInventory, inventoryRecord, newestInventory } from '../ledger/inventory.ts';
import { ledgerId } from '../ledger/ledger-id.ts';
import { refuseLostLedger } from '../ledger/lost-ledger.ts';
import { assertNotMigrated } from '../ledger/migrated.ts';
import { signersOf } from '../ledger/signing-keys.ts';
import { TreeKeeper } from '../ledger/tree/keeper.ts';
import { type Observer, safeObserver } from '../observing/observer.ts';
import { instanceName } from '../operations/instance-name.ts';
import { LeaderLease } from '../operations/leader-lease.ts';
import { Membership, RENEW_AGAIN_MS, RENEW_EVERY_MS } from '../operations/membership.ts';
import { PeriodicTask } from '../operations/periodic-task.ts';
import { rewrap } from '../operations/rewrap.ts';
import { Runs } from '../operations/runs.ts';
import { OperationsLog } from '../operations-log/operations-log.ts';
import { Audit } from './audit.ts';
import { openAwaited } from './await-store.ts';
import { checkClock } from './check-clock.ts';
import { Closing } from './closing.ts';
import type { GatewayOptions, RouteSet } from './gateway-options.ts';
import { GuardStarts } from './start-guard.ts';

/** How soon a change that another process has made is in force here. */
const FOLLOW_EVERY_MS = 500;
const RECOVER_EVERY_MS = 10_000;
const EXPIRE_EVERY_MS = 60_000;
/** After all keys were rewrapped: gateways that were not restarted yet still use the previous content key. */
const REWRAP_AGAIN_MS = 3_600_000;
/** A crash of the machine leaves at most the records of this interval unsigned. */
const CHECKPOINT_EVERY_MS = 10_000;
/** A larger skew is logged: budgets, expiries and times in evidence depend on the clock. */
const TOLD_SKEW_MS = 5_000;
/** A health check is answered within this time, whatever hangs. */
const MAX_LOOK_MS = 1_500;
/** `Retry-After` while stored data is still being checked. */
const RETRY_S = 10;
/** Time for running requests to finish after a shutdown begins. */
const GRACE_MS = 5_000;
/** Time for interrupted runs to write their evidence after that. */
const INTERRUPTED_MS = 3_000;
const LAST_CHECKPOINT_MS = 1_500;
/** A delivery in flight is aborted; an exporter that ignores that is left behind. */
const EXPORTER_CLOSE_MS = 2_500;
const LEASE_RELEASE_MS = 1_500;
const STORE_CLOSE_MS = 3_000;
/** After a failed start. */
const REFUSED_CLOSE_MS = 10_000;

/** What new runs go through. Replaced as a whole. */
interface ActiveRoutes extends Pick<RunsEnv, 'routes' | 'config_digest'> {
  readonly inventory: readonly ModelInventory[];
}

/** The running engine: runs, the ledger, periodic tasks. */
export class Gateway {
  readonly runs: Runs;
  readonly operations: OperationsLog;
  readonly #options: GatewayOptions;
  readonly #env: RunsEnv;
  readonly #guards = new GuardStarts();
  readonly #membership: Membership;
  readonly #leader: LeaderLease;
  readonly #renewal: PeriodicTask;
  readonly #following: PeriodicTask;
  readonly #recovery: PeriodicTask;
  readonly #expiry: PeriodicTask;
  readonly #signing: PeriodicTask;
  #active: ActiveRoutes;
  #isChecked = false;
  #audit: Audit | null = null;
  #tree: TreeKeeper | null = null;
  #exports: readonly ExportQueue[] = [];
  #ended: Promise<void> | null = null;
  /** When keys of runs are next rewrapped by the newest content key. Monotonic milliseconds. */
  #rewrapsFrom: number;

  private constructor(options: GatewayOptions) {
    this.#options = options;
    this.#rewrapsFrom = options.content_keys.older.length > 0 ? 0 : Number.POSITIVE_INFINITY;
    const watching = safeObserver(options.observer);
    const observer: Observer = {
      ...watching,
      commit: (duration_ms, changes) => {
        watching.commit(duration_ms, changes);
        for (const queue of this.#exports) queue.wake();
      },
    };
    const { store, clock, logger, apply = [] } = options;
    this.operations = new OperationsLog({ store, clock, apply });
    const instance = instanceName();
    this.#membership = new Membership(store, instance, clock);
    this.#leader = new LeaderLease(store, instance);
    this.#renewal = this.#recurring('lease_renewal', RENEW_EVERY_MS, () => this.#membership.renew(), RENEW_AGAIN_MS);
    this.#following = this.#recurring('operations', FOLLOW_EVERY_MS, () => this.operations.catchUp());
    this.#recovery = this.#recurring('recovery', RECOVER_EVERY_MS, () => this.#recover());
    this.#expiry = this.#recurring('expiry', EXPIRE_EVERY_MS, () => this.#expire());
    this.#signing = this.#recurring('checkpoint', CHECKPOINT_EVERY_MS, () => this.#checkpoint());
    const afterOutage = (): void => void this.#recovery.now();
    const sealed = (records: readonly SealedRecord[]): void => this.#tree?.written(records);
    this.#active = activeRoutes(options, []);
    const active = (): ActiveRoutes => this.#active;
    this.#env = {
      ...options,
      observer,
      circuits: new Circuits(clock, observer),
      writer: new LedgerWriter(store, { clock, logger, observer, afterOutage, sealed }),
      vault: new ContentVault(store, options.content_keys),
      handles: new OpaqueHandles(options.content_keys),
      pauses: new PauseLimits(store, options.max_paused),
      get routes() {
        return active().routes;
      },
      get config_digest() {
        return active().config_digest;
      },
      instance,
    };
    this.runs = new Runs(this.#env);
  }

  /**
   * Opens the store, starts the guards, records the inventory and recovers runs that a dead process left behind.
   * @throws if any of that fails; the store is closed again
   */
  static async open(options: GatewayOptions): Promise<Gateway> {
    await openAwaited(options.store, options.logger);
    await assertNotMigrated(options.store).catch(async (error: unknown) => {
      await options.store.close();
      throw error;
    });
    const gateway = new Gateway(options);
    try {
      await gateway.#start();
      return gateway;
    } catch (error) {
      await gateway.close(new Closing(REFUSED_CLOSE_MS));
      throw error;
    }
  }

  /** Whether evidence can be written, as far as can be told without writing. After a failure, a write is attempted. */
  async writable(): Promise<boolean> {
    const { writer, store } = this.#env;
    if (writer.hangs) return false;
    const look = async (): Promise<boolean> => {
      await writer.assertWritable();
      await store.head();
      return true;
    };
    const looked = await withTimeout(
      look().catch(() => false),
      MAX_LOOK_MS,
    );
    return looked.done && looked.value;
  }

  /** @throws {SvcError} SVC-STORE-001 while earlier data is still being checked for damage */
  assertChecked(): void {
    if (!this.#isChecked)
      throw new SvcError('SVC-STORE-001', 'what was stored before the start is still being checked', { retry_after_s: RETRY_S });
  }

  /** @throws before the gateway is open */
  get audit(): Audit {
    if (this.#audit === null) throw new Error('the gateway is not open');
    return this.#audit;
  }

  /**
   * Makes other routes ready: starts their guards, and records in the inventory what changed. Nothing of it is in force yet.
   * @param seals false where another process does the latter
   * @returns puts them in force at once; runs that began before go on with theirs, see {@link Runs.under_way}
   * @throws if a guard cannot be started; SVC-STORE-001
   */
  async prepare(next: RouteSet, seals: boolean): Promise<() => void> {
    await this.#guards.start(nodesIn(next));
    const inventory = await this.#inventoryOf(next, seals ? changedInventory : null);
    return () => {
      this.#active = activeRoutes(next, inventory);
    };
  }

  /** Takes no new work and waits until every run has its evidence. */
  endRuns(closing = new Closing()): Promise<void> {
    this.#ended ??= closing.end('runs', GRACE_MS + INTERRUPTED_MS, async () => {
      const housekeeping = [this.#following, this.#recovery, this.#expiry, this.#signing].map((work) => work.stop());
      await Promise.all([this.runs.close(GRACE_MS), ...housekeeping]);
    });
    return this.#ended;
  }

  /** Ends every run, then closes the store. Guards and providers are closed by whoever created them. */
  async close(closing = new Closing()): Promise<void> {
    await this.endRuns(closing);
    await closing.end('ledger', LAST_CHECKPOINT_MS, async () => {
      await this.#env.writer.drain();
      // The last records get a checkpoint too, if the store still answers.
      if (this.#tree !== null) await this.#quietly('checkpoint', () => this.#tree?.checkpoint());
    });
    const exports = this.#exports.map((queue) => closing.end(`exporter ${queue.name}`, EXPORTER_CLOSE_MS, () => queue.close()));
    await Promise.all(exports);
    // Until here the lease must show that this process lives. From here on, others may take over at once.
    await closing.end('leases', LEASE_RELEASE_MS, async () => {
      await this.#renewal.stop();
      await Promise.all([this.#membership, this.#leader].map((leases) => this.#quietly('lease_release', () => leases.end())));
    });
    await closing.end('runs-db', STORE_CLOSE_MS, () => this.#options.store.close());
  }

  async #start(): Promise<void> {
    const { store, clock, routes, config_digest, retrieval, seals_inventory, accepts_clock = false } = this.#options;
    const checked = store.whenChecked?.() ?? Promise.resolve();
    void checked.then(() => {
      this.#isChecked = true;
    });
    await checkClock(store, clock, accepts_clock);
    await this.#refuseLostLedger();
    await this.#env.vault.open(clock.now());
    const tree = await this.#openTree();
    this.#tree = tree;
    await this.operations.catchUp();
    const first = { routes, config_digest, nodes: retrieval?.nodes ?? [] };
    await this.#guards.start(nodesIn(first));
    await retrieval?.open();
    this.#active = activeRoutes(first, await this.#inventoryOf(first, seals_inventory ? inventoryRecord : null));
    const exporters = this.#options.exporters.map(({ name }) => name);
    this.#audit = new Audit({ store, clock, tree, exporters, inventory: () => this.#active.inventory });
    await this.#membership.renew();
    this.#renewal.start();
    if (!store.exclusive) this.#following.start();
    if (this.#isChecked) await this.#takeUp();
    else void checked.then(() => this.#takeUp()).catch((error) => this.#failed('recovery', error));
  }

  /** Continues with what is stored: orphaned runs, records to export, expired content. */
  async #takeUp(): Promise<void> {
    if (this.#ended !== null) return;
    const { store, clock, logger, observer, instance } = this.#env;
    const env = { store, clock, logger, observer, instance, ledgerId: await ledgerId(store) };
    this.#exports = this.#options.exporters.map((target) => new ExportQueue(target, env));
    for (const work of [this.#recovery, this.#expiry, this.#signing]) work.start();
    await this.#recover();
    if (Number.isFinite(this.#rewrapsFrom)) void this.#expiry.now();
  }

  async #refuseLostLedger(): Promise<void> {
    const { store, ledger } = this.#options;
    const { signing_keys, checkpoint_pin: checkpointPin } = ledger;
    await refuseLostLedger(store, { own: 'read' in signing_keys ? signing_keys : null, checkpointPin });
  }

  async #openTree(): Promise<TreeKeeper> {
    const { store, logger, ledger } = this.#options;
    const { signing_keys, checkpoint_pin: checkpointPin } = ledger;
    // Before a signing key is created: a key that exists without a ledger id belongs to another ledger.
    const id = await ledgerId(store);
    const origin = ledger.origin ?? id;
    const signers = await signersOf(signing_keys, { store, logger, origin });
    const tree = new TreeKeeper({ store, logger, origin, signers, checkpointPin });
    await tree.checkGuardFile();
    await checkpointPin?.assertWritable();
    return tree;
  }

  /** Only the leader signs, so the other processes need not read the ledger. The process that exports may be another one. */
  async #checkpoint(): Promise<void> {
    if (this.#tree === null) return;
    const isLeader = await this.#leader.take('checkpoint', 3 * CHECKPOINT_EVERY_MS);
    const newest = isLeader ? await this.#tree.checkpoint() : await this.#tree.newest();
    if (newest !== null && !isLeader) await this.#tree.remember(newest);
    if (newest) for (const queue of this.#exports) queue.checkpoint(newest);
  }

  /** The newest records of these routes, with those that are made of them written before. */
  async #inventoryOf({ routes }: RouteSet, make: typeof changedInventory | null): Promise<ModelInventory[]> {
    const { store, clock } = this.#options;
    const made = await Promise.all(routes.map(({ inventory }) => make?.(inventory, store, clock.now()) ?? null));
    const records = made.filter((record) => record !== null);
    if (records.length > 0) await this.#env.writer.append(records);
    const newest = await Promise.all(routes.map(({ inventory }) => newestInventory(inventory, store)));
    return newest.filter((record) => record !== null);
  }

  /** Periodic, since an instance can die, or a store be away, at any time. Renews the own lease first: others judge this process by it. */
  async #recover(): Promise<void> {
    await this.#membership.renew();
    const recovered = await this.runs.recover((owner) => this.#membership.isGone(owner));
    if (recovered.requeued + recovered.interrupted > 0) this.#options.logger.warn({ event: 'recovered', ...recovered });
  }

  /** Only the leader does this. */
  async #expire(): Promise<void> {
    const { store, clock, logger } = this.#options;
    const now = await store.now();
    const ahead_ms = clock.now() - now;
    if (Math.abs(ahead_ms) > TOLD_SKEW_MS) logger.warn({ event: 'clock_skew', ahead_ms });
    if (!(await this.#leader.take('expiry', 2 * EXPIRE_EVERY_MS))) return;
    await this.runs.expire(now);
    await this.#membership.forgetGone();
    if (clock.monotonic() >= this.#rewrapsFrom) await this.#rewrap();
  }

  /** Only while older content keys are configured. */
  async #rewrap(): Promise<void> {
    if (!(await this.#env.vault.isCurrent())) return;
    const { runs, left } = await rewrap(this.#env);
    this.#rewrapsFrom = left > 0 ? 0 : this.#options.clock.monotonic() + REWRAP_AGAIN_MS;
    if (runs > 0 || left === 0) this.#options.logger.info({ event: 'content_rewrapped', runs, left });
  }

  #recurring(event: string, every_ms: number, work: () => Promise<void>, again_ms = every_ms): PeriodicTask {
    return new PeriodicTask(work, { every_ms, again_ms, failed: (error) => this.#failed(event, error) });
  }

  #failed(event: string, error: unknown): void {
    this.#options.logger.warn({ event: `${event}_failed`, reason: errorName(error) });
  }

  async #quietly(event: string, work: () => unknown): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#failed(event, error);
    }
  }
}

function activeRoutes({ routes, config_digest }: Omit<RouteSet, 'nodes'>, inventory: readonly ModelInventory[]): ActiveRoutes {
  return {
    config_digest,
    inventory,
    routes: new Map(routes.map(({ runtime }): [string, RuntimeRoute] => [runtime.name, runtime])),
  };
}

function nodesIn({ routes, nodes }: RouteSet): PipelineNode[] {
  return [...routes.flatMap(({ runtime }) => nodesOf(runtime)), ...nodes];
}
