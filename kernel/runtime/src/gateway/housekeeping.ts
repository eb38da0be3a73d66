import { errorName } from '@svc/contracts';
import { endOverdueDelegations } from '../pauses/change-delegations.ts';
import type { OperationsLog } from '../records/operations-log/operations-log.ts';
import { endTemporaryStates } from '../records/states/change-state.ts';
import type { OperationalStates } from '../records/states/operational-states.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { FOLLOW_EVERY_MS, KeyExchange } from './key-exchange.ts';
import type { PublishedLogs } from './published-logs.ts';
import { quietly } from './quietly.ts';
import type { GatewayEnv } from './runs/gateway-env.ts';
import { LeaderLease } from './runs/leader-lease.ts';
import { Membership, RENEW_EVERY_MS, RETRY_RENEWAL_MS } from './runs/membership.ts';
import { PeriodicTask } from './runs/periodic-task.ts';
import type { Runs } from './runs/runs.ts';

const RECOVER_EVERY_MS = 10_000;
const EXPIRE_EVERY_MS = 60_000;
/** Pauses and escalations may have become due while no gateway ran. A gateway that exchanges keys looks earlier, so that it leads. */
const FIRST_EXPIRY_MS = 1_000;
const END_STATES_EVERY_MS = 1_000;
/** A crash of the machine leaves at most this interval's records unsigned. */
const CHECKPOINT_EVERY_MS = 10_000;
/** A larger skew is logged, because budgets, expiries and times in evidence depend on the clock. */
const MAX_SKEW_MS = 5_000;

export interface HousekeepingEnv extends GatewayEnv {
  readonly operations: OperationsLog;
}

/** What the periodic tasks maintain, apart from runs. */
interface Kept {
  readonly logs: () => PublishedLogs | null;
  readonly states: OperationalStates;
}

/** The periodic tasks of a gateway, and the leases that decide which of several processes does them. */
export class Housekeeping {
  readonly #options: GatewayOptions;
  readonly #env: HousekeepingEnv;
  readonly #runs: Runs;
  readonly #logs: () => PublishedLogs | null;
  readonly #states: OperationalStates;
  readonly #membership: Membership;
  readonly #leader: LeaderLease;
  readonly #exchange: KeyExchange;
  readonly #renewal = this.#task('lease_renewal', RENEW_EVERY_MS, () => this.#membership.renew(), RETRY_RENEWAL_MS);
  readonly #following = this.#task('operations', FOLLOW_EVERY_MS, () => this.#env.operations.catchUp());
  readonly #recovery = this.#task('recovery', RECOVER_EVERY_MS, () => this.#recover());
  readonly #expiry = this.#task('expiry', EXPIRE_EVERY_MS, () => this.#expire());
  readonly #stateEnds = this.#task('state_end', END_STATES_EVERY_MS, () => this.#endStates());
  readonly #signing = this.#task('checkpoint', CHECKPOINT_EVERY_MS, () => this.#checkpoint());

  constructor(options: GatewayOptions, env: HousekeepingEnv, runs: Runs, { logs, states }: Kept) {
    this.#options = options;
    this.#env = env;
    this.#runs = runs;
    this.#logs = logs;
    this.#states = states;
    this.#membership = new Membership(env.store, env.instance, env.clock);
    this.#leader = new LeaderLease(env.store, env.instance);
    this.#exchange = new KeyExchange(options, env, env.operations);
  }

  /** Shows other processes that this one is alive, and starts to follow their changes. */
  async join(): Promise<void> {
    await this.#membership.renew();
    this.#renewal.start();
    if (!this.#env.store.exclusive) this.#following.start();
  }

  /** Starts the remaining tasks when the store has been checked. Resolves when orphaned runs are recovered. */
  async start(): Promise<void> {
    for (const task of [this.#recovery, this.#stateEnds, this.#signing]) task.start();
    this.#expiry.start(FIRST_EXPIRY_MS);
    await this.#recover();
    if (this.#exchange.isNeeded) void this.#expiry.now();
  }

  recoverNow(): void {
    void this.#recovery.now();
  }

  /** Stops everything except renewing the lease that shows this process as alive. */
  async stop(): Promise<void> {
    await Promise.all([this.#following, this.#recovery, this.#expiry, this.#stateEnds, this.#signing].map((task) => task.stop()));
  }

  /** Releases the leases, so that other processes can take over at once. */
  async leave(): Promise<void> {
    await this.#renewal.stop();
    const { logger } = this.#env;
    await Promise.all([this.#membership, this.#leader].map((leases) => quietly('lease_release', logger, () => leases.end())));
  }

  /**
   * Runs periodically, because an instance can die at any time, and the store can become unavailable. Renews this process's own lease first, because other
   * processes use it to tell whether this one is alive.
   */
  async #recover(): Promise<void> {
    await this.#membership.renew();
    const recovered = await this.#runs.recover((owner) => this.#membership.isDead(owner));
    if (recovered.requeued + recovered.interrupted > 0) this.#env.logger.warn({ event: 'recovered', ...recovered });
  }

  /** Only the leader expires runs and content. */
  async #expire(): Promise<void> {
    const { store, clock, logger } = this.#env;
    const now = await store.now();
    const ahead_ms = clock.now() - now;
    if (Math.abs(ahead_ms) > MAX_SKEW_MS) logger.warn({ event: 'clock_skew', ahead_ms });
    if (!(await this.#leader.take('expiry', 2 * EXPIRE_EVERY_MS))) return;
    await this.#runs.expire(now);
    await this.#membership.forgetDead();
    await this.#exchange.work();
  }

  /** States and delegations end by the clock in every process. One of them records it. */
  async #endStates(): Promise<void> {
    const { operations, delegations, logger } = this.#env;
    for (const { target, seq } of await endOverdueDelegations(operations, delegations))
      logger.info({ event: 'delegation_ended', id: target.name, seq });
    for (const { action, target, change, seq } of await endTemporaryStates(operations, this.#states))
      logger.warn({ event: 'operational_state', action, ...target, state: change.state, seq, by: null });
  }

  async #checkpoint(): Promise<void> {
    const isLeader = await this.#leader.take('checkpoint', 3 * CHECKPOINT_EVERY_MS);
    await this.#logs()?.checkpoint(isLeader);
  }

  #task(event: string, every_ms: number, work: () => Promise<void>, retry_ms = every_ms): PeriodicTask {
    const failed = (error: unknown): void => this.#options.logger.warn({ event: `${event}_failed`, reason: errorName(error) });
    return new PeriodicTask(work, { every_ms, retry_ms, failed });
  }
}
