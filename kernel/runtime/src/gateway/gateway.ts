import { type EvidencePointer, type ModelInventory, OPERATION_ACTIONS, type Operation, SvcError } from '@svc/contracts';
import { LedgerWriter } from '@svc/kernel';
import { laterObserver, type Observer } from '@svc/kernel/observing';
import { Pseudonyms } from '../content/pseudonyms.ts';
import { Delegations } from '../pauses/delegations.ts';
import { changedInventory, inventoryRecord, newestInventory } from '../records/ledger/inventory.ts';
import { refuseLostLedger } from '../records/ledger/lost-ledger.ts';
import { assertNotMigrated } from '../records/ledger/migrated.ts';
import { type ApplyOperation, OperationsLog } from '../records/operations-log/operations-log.ts';
import { OperationalStates } from '../records/states/operational-states.ts';
import { type ActiveRoutes, activeRoutes, nodesIn } from './active-routes.ts';
import { Audit } from './audit.ts';
import { openAwaited } from './await-store.ts';
import { checkClock } from './check-clock.ts';
import { Closing } from './closing.ts';
import type { GatewayOptions, LedgerOptions, RouteSet } from './gateway-options.ts';
import { ConfigurationOnRecord } from './gateway-started.ts';
import { Housekeeping, type HousekeepingEnv } from './housekeeping.ts';
import { Proofs } from './proofs.ts';
import { PublishedLogs } from './published-logs.ts';
import { quietly } from './quietly.ts';
import { gatewayEnv } from './runs/gateway-env.ts';
import { instanceName } from './runs/instance-name.ts';
import { Runs } from './runs/runs.ts';
import { GuardStarts } from './start-guard.ts';
import { StoreProbe } from './store-probe.ts';

/** `Retry-After` while stored data is still being checked. */
const RETRY_S = 10;
/** How long running requests have to finish after a shutdown begins, unless the caller sets another time. */
const GRACE_MS = 5_000;
/** How long interrupted runs then have to write their evidence. */
const INTERRUPTED_MS = 3_000;
const LAST_CHECKPOINT_MS = 1_500;
const LEASE_RELEASE_MS = 1_500;
const STORE_CLOSE_MS = 3_000;
/** Limit of the shutdown that follows a failed start. */
const REFUSED_CLOSE_MS = 10_000;

/** The running gateway: runs, the ledger and periodic tasks. */
export class Gateway {
  readonly runs: Runs;
  readonly operations: OperationsLog;
  /** What operators have disabled. */
  readonly states: OperationalStates;
  readonly delegations: Delegations;
  /** Pseudonyms of the users that callers name. */
  readonly pseudonyms: Pseudonyms;
  readonly #options: GatewayOptions;
  readonly #env: HousekeepingEnv;
  readonly #look: StoreProbe;
  readonly #guards = new GuardStarts();
  readonly #housekeeping: Housekeeping;
  #active: ActiveRoutes;
  #isChecked = false;
  #audit: Audit | null = null;
  #logs: PublishedLogs | null = null;
  readonly #configuration = new ConfigurationOnRecord();
  #formerDigest: string | null = null;
  #ended: Promise<void> | null = null;

  private constructor(options: GatewayOptions) {
    this.#options = options;
    this.states = new OperationalStates(options.clock);
    this.delegations = new Delegations(options.clock);
    const watching = laterObserver(options.observer);
    const observer: Observer = {
      ...watching,
      commit: (duration_ms, changes) => {
        watching.commit(duration_ms, changes);
        this.#logs?.ledger.wake();
      },
    };
    const { store, clock, logger, content_keys, apply = [] } = options;
    this.pseudonyms = new Pseudonyms(content_keys);
    const understand = (operation: Operation): void =>
      this.#applyOperation(operation, [this.states.apply, this.delegations.apply, ...apply]);
    const stop = (): void => this.runs.endDisabled();
    const recorded = (operation: Operation): void => this.#recorded(operation);
    this.operations = new OperationsLog({ store, clock, content_keys, logger, apply: [understand, stop, recorded] });
    const afterOutage = (): void => this.#housekeeping.recoverNow();
    const sealed = (records: readonly EvidencePointer[]): void => this.#logs?.ledger.tree.written(records);
    this.#active = activeRoutes(options, []);
    this.#env = gatewayEnv({
      ...options,
      active: () => this.#active,
      policy: this.states,
      delegations: this.delegations,
      observer,
      writer: new LedgerWriter(store, { clock, logger, observer, afterOutage, sealed }),
      operations: this.operations,
      instance: instanceName(),
      assertStamped: () => this.#logs?.ledger.timestamping?.assertRecent(),
    });
    this.runs = new Runs(this.#env);
    this.#housekeeping = new Housekeeping(options, this.#env, this.runs, { logs: () => this.#logs, states: this.states });
    this.#look = new StoreProbe(this.#env);
  }

  /**
   * Opens the store, starts the guards, records the inventory, and recovers the runs of dead processes.
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

  /** Whether evidence can be written, as far as is known without writing. After a failure, this attempts a write. */
  writable(): Promise<boolean> {
    return this.#look.isWritable();
  }

  /** Whether new runs are refused because the ledger lacks a required time stamp. */
  get lacksTimestamp(): boolean {
    return this.#logs?.ledger.timestamping?.isOverdue ?? false;
  }

  /** Whether requests should be sent to this process: stored data has been checked, evidence can be written, and no required time stamp is missing. */
  async ready(): Promise<boolean> {
    return this.#isChecked && !this.lacksTimestamp && (await this.writable());
  }

  /** @throws {SvcError} SVC-STORE-001 while stored data is still being checked for damage */
  assertChecked(): void {
    if (!this.#isChecked)
      throw new SvcError('SVC-STORE-001', 'stored data is still being checked after startup; try again later', {
        retry_after_s: RETRY_S,
      });
  }

  /** Digest of the configuration that was on record before this start. Null if there was none, or another process recorded the start. */
  get former_digest(): string | null {
    return this.#formerDigest;
  }

  /** @throws if the gateway is not open yet */
  get audit(): Audit {
    if (this.#audit === null) throw new Error('the gateway is not open');
    return this.#audit;
  }

  /**
   * Prepares other routes: starts their guards, and records changes in the inventory. The routes do not take effect yet.
   * @param seals false if another process records the changes
   * @returns a function that activates the routes; runs that began earlier keep theirs, see {@link Runs.under_way}
   * @throws if a guard cannot be started; SVC-STORE-001
   */
  async prepare(next: RouteSet, seals: boolean): Promise<() => void> {
    await this.#guards.start(nodesIn(next));
    const inventory = await this.#inventoryOf(next, seals ? changedInventory : null);
    return () => {
      this.#active = activeRoutes(next, inventory);
      this.#env.circuits.reset();
    };
  }

  /**
   * Prepares other keys that sign checkpoints.
   * @returns a function that uses them from the next signature on
   * @throws {Error} if the gateway is to use its own key, which did not sign this ledger
   */
  async prepareSigningKeys(keys: LedgerOptions['signing_keys']): Promise<() => void> {
    return (await this.#logs?.prepareKeys(keys)) ?? (() => undefined);
  }

  /** Accepts no new work, and waits until every run has its evidence. @param grace_ms time after which runs are interrupted */
  endRuns(closing = new Closing(), grace_ms = GRACE_MS): Promise<void> {
    this.#ended ??= closing.end('runs', grace_ms + INTERRUPTED_MS, async () => {
      const runs = this.runs.close(grace_ms).finally(() => this.#logs?.giveUp());
      await Promise.all([runs, this.#housekeeping.stop()]);
    });
    return this.#ended;
  }

  /** Ends every run, then closes the store. Does not close guards and providers; the code that created them does. */
  async close(closing = new Closing()): Promise<void> {
    await this.endRuns(closing);
    await closing.end('ledger', LAST_CHECKPOINT_MS, async () => {
      await this.#env.writer.drain();
      await this.#logs?.signAll();
    });
    await this.#logs?.close(closing);
    // Only now may the lease that shows this process as alive be released.
    await closing.end('leases', LEASE_RELEASE_MS, () => this.#housekeeping.leave());
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
    await this.#env.content.open(clock.now());
    const logs = await PublishedLogs.open(this.operations, this.#options);
    this.#logs = logs;
    await this.operations.catchUp();
    this.#logStates();
    const first = { routes, config_digest, nodes: retrieval?.nodes ?? [] };
    await this.#guards.start(nodesIn(first));
    await retrieval?.open();
    this.#active = activeRoutes(first, await this.#inventoryOf(first, seals_inventory ? inventoryRecord : null));
    if (seals_inventory) await this.#recordStart();
    const exporters = this.#options.exporters.map(({ name }) => name);
    const [ledger, operations] = [new Proofs(logs.ledger), new Proofs(logs.operations)];
    this.#audit = new Audit({ store, clock, ledger, operations, exporters, inventory: () => this.#active.inventory });
    await this.#housekeeping.join();
    if (this.#isChecked) await this.#resumeWork();
    else void quietly('recovery', this.#options.logger, () => checked.then(() => this.#resumeWork()));
  }

  /** Continues work that the store contains: orphaned runs, records to export, expired content. */
  async #resumeWork(): Promise<void> {
    if (this.#ended !== null) return;
    await this.#logs?.export(this.#options.exporters, this.#env);
    await this.#housekeeping.start();
  }

  async #refuseLostLedger(): Promise<void> {
    const { store, ledger } = this.#options;
    const { signing_keys, checkpoint_pin: checkpointPin } = ledger;
    await refuseLostLedger(store, { own: 'read' in signing_keys ? signing_keys : null, checkpointPin });
  }

  #applyOperation(operation: Operation, appliers: readonly ApplyOperation[]): void {
    const { seq, action } = operation;
    const understood = appliers.map((apply) => apply(operation));
    const isKnown = (OPERATION_ACTIONS as readonly string[]).includes(action) && !understood.includes(false);
    if (!isKnown) this.#options.logger.warn({ event: 'operation_unknown', seq });
  }

  /** Called in every process for each operation, after the operation's hash was checked. */
  #recorded(operation: Operation): void {
    this.#configuration.apply(operation);
    this.#logs?.recorded(operation);
  }

  async #recordStart(): Promise<void> {
    const { config_digest, plugins = [] } = this.#options;
    // The key must be renewed first, because the record is tagged with it.
    await this.operations.renewKey();
    const started = await this.operations.append(() => this.#configuration.started(config_digest, plugins));
    this.#formerDigest = started.before;
  }

  /** The newest inventory records of these routes. `make` creates the records that must be written first. */
  async #inventoryOf({ routes }: RouteSet, make: typeof changedInventory | null): Promise<ModelInventory[]> {
    const { store, clock } = this.#options;
    const made = await Promise.all(routes.map(({ inventory }) => make?.(inventory, store, clock.now()) ?? null));
    const records = made.filter((record) => record !== null);
    if (records.length > 0) await this.#env.writer.append(records);
    const newest = await Promise.all(routes.map(({ inventory }) => newestInventory(inventory, store)));
    return newest.filter((record) => record !== null);
  }

  /** Logs what operators disabled or restricted before the start, because that still applies. */
  #logStates(): void {
    for (const { kind, name } of this.states.changed)
      this.#options.logger.warn({ event: 'state_in_force', kind, name, state: this.states.of(kind, name) });
  }
}
