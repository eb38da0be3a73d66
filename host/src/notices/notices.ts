import { randomUUID } from 'node:crypto';
import type { Clock, Counters, Logger, RunRow, Store } from '@svc/contracts';
import type { GuardFailureReport } from '@svc/kernel/observing';
import { type Gateway, LeaderLease } from '@svc/runtime';
import { boundedCounters } from '@svc/runtime/records';
import type { NoticeEvent, NoticeSettings } from '../config/index.ts';
import { BudgetWatch } from './budget-watch.ts';
import { ExporterWatch } from './exporter-watch.ts';
import { type Occurrence, occurrence } from './notice.ts';
import { Once } from './once.ts';
import { type QueueDeps, ReceiverQueue } from './receiver-queue.ts';
import { receiversOf } from './receivers.ts';
import { runOccurrence } from './run-occurrence.ts';
import { StoreTrouble } from './store-trouble.ts';

/** At a shutdown, an attempt in progress is aborted after this time. Its message is sent after the next start. */
const ABORT_MS = 1_000;

interface NoticesDeps extends Pick<QueueDeps, 'count'> {
  readonly directory: string;
  readonly store: Store;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Reports to people and services what needs their attention. As an observer it only counts; periodic tasks do the rest. */
export class Notices {
  readonly #settings: NoticeSettings;
  readonly #deps: NoticesDeps;
  readonly #leader: LeaderLease;
  readonly #trouble: StoreTrouble;
  readonly #queues: readonly ReceiverQueue[];
  readonly #budgets: BudgetWatch | null;
  #exporters: ExporterWatch | null = null;

  constructor(settings: NoticeSettings, deps: NoticesDeps) {
    const { public_url, group_ms, targets } = settings;
    const { store, logger } = deps;
    this.#settings = settings;
    this.#deps = deps;
    this.#leader = new LeaderLease(store, randomUUID());
    this.#trouble = new StoreTrouble(logger);
    const common = { ...deps, group_ms, leader: this.#leader };
    this.#queues = targets.flatMap((target) =>
      receiversOf(target, { ...deps, public_url }).map((receiver) => new ReceiverQueue(target, receiver, common)),
    );
    const budgets = { percent: settings.budget_percent, ...this.#watching('budgets') };
    this.#budgets = this.#isWanted('budget_low') ? new BudgetWatch(budgets) : null;
  }

  /** The gateway has opened the store. */
  start({ audit }: Gateway): void {
    for (const queue of this.#queues) queue.start();
    this.#budgets?.start();
    if (!this.#isWanted('exporter_lagging')) return;
    const threshold = this.#settings.exporter_lag_records;
    this.#exporters = new ExporterWatch({ audit, threshold, clock: this.#deps.clock, ...this.#watching('exporters') });
  }

  status(row: RunRow): void {
    const change = runOccurrence(row);
    if (change !== null) this.#report(change);
  }

  escalated(row: RunRow): void {
    const change = runOccurrence(row);
    if (change !== null) this.#report(change);
  }

  guardFailed({ node, route, reason, run_id }: GuardFailureReport): void {
    this.#report(occurrence('guard_failed', { route, name: node, code: reason, run_id }));
  }

  watched(counters: Counters): Counters {
    return this.#budgets?.watched(counters) ?? counters;
  }

  /** Stores unsent messages for the next start or another process. The store must still be open. */
  async close(): Promise<void> {
    await Promise.all([this.#budgets?.stop(), this.#exporters?.stop()]);
    const closed = await Promise.allSettled(this.#queues.map((queue) => queue.close(ABORT_MS)));
    await this.#leader.end();
    for (const queue of closed) if (queue.status === 'rejected') throw queue.reason;
  }

  #watching(what: string) {
    const { store, clock } = this.#deps;
    const counters = boundedCounters(store.counters);
    const once = new Once({
      lease: `notices-once/${what}`,
      leases: store,
      counters,
      clock,
      report: (one) => this.#report(one),
      stored: async () => {
        await Promise.all(this.#queues.map((queue) => queue.store()));
        this.#trouble.over();
      },
    });
    return { once, counters, trouble: this.#trouble };
  }

  #isWanted(event: NoticeEvent): boolean {
    return this.#settings.targets.some(({ on }) => on.includes(event));
  }

  #report(one: Occurrence): void {
    for (const queue of this.#queues) queue.add(one);
  }
}
