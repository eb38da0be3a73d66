import type { Clock, Counters, Endpoint } from '@svc/contracts';
import type { BytesInFlight } from '@svc/kernel/admission';
import type { Observer } from '@svc/kernel/observing';
import type { Gateway } from '@svc/runtime';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { BudgetMetrics } from './budget-metrics.ts';
import { CommitMetrics } from './commit-metrics.ts';
import { EventLoopMetrics } from './event-loop-metrics.ts';
import { ExportMetrics } from './export-metrics.ts';
import { GuardMetrics } from './guard-metrics.ts';
import { registerLogMetrics } from './log-metrics.ts';
import { MemoryMetrics } from './memory-metrics.ts';
import { NoticeMetrics } from './notice-metrics.ts';
import { OidcMetrics } from './oidc-metrics.ts';
import { type AllParts, type MetricsPart, sumOf } from './parts.ts';
import { RagMetrics } from './rag-metrics.ts';
import { RunMetrics } from './run-metrics.ts';
import { SecretMetrics } from './secret-metrics.ts';
import { SessionMetrics } from './session-metrics.ts';
import { StoreMetrics } from './store-metrics.ts';
import { TeamMetrics } from './team-metrics.ts';
import { TimestampMetrics } from './timestamp-metrics.ts';
import { UpstreamMetrics } from './upstream-metrics.ts';
import { WitnessMetrics } from './witness-metrics.ts';
import { commentOn, WorkerMetrics } from './worker-metrics.ts';

/** Prometheus metrics. Label values are names from the configuration, or come from fixed lists. */
export class Metrics {
  /** Metrics of this process. */
  readonly #own = new Registry();
  readonly #runs = new RunMetrics(this.#own);
  readonly #upstreams = new UpstreamMetrics(this.#own);
  readonly #guards = new GuardMetrics(this.#own);
  readonly #commits = new CommitMetrics(this.#own);
  readonly #rag = new RagMetrics(this.#own);
  readonly #oidc = new OidcMetrics(this.#own);
  readonly #notices = new NoticeMetrics(this.#own);
  readonly #secrets = new SecretMetrics(this.#own);
  readonly #budgets = new BudgetMetrics(this.#own);
  readonly #sessions = new SessionMetrics(this.#own);
  /** Metrics of the store, which are the same in every process. */
  readonly #stored = new Registry();
  readonly #store = new StoreMetrics(this.#stored);
  readonly #exports = new ExportMetrics(this.#own, this.#stored);
  readonly #witnesses = new WitnessMetrics(this.#own, this.#stored);
  readonly #timestamps = new TimestampMetrics(this.#own, this.#stored);
  readonly #teams = new TeamMetrics(this.#own);
  /** Observers of runs, calls, commits, retrieval and exports. */
  readonly observers: readonly Partial<Observer>[] = [
    this.#runs,
    this.#upstreams,
    this.#guards,
    this.#teams,
    this.#sessions,
    this.#commits,
    this.#rag,
    this.#exports,
    this.#witnesses,
    this.#timestamps,
  ];
  readonly #all: AllParts | null;
  #reading: Promise<void> | null = null;

  /** @param all the processes of this server; null: only this one */
  constructor(all: AllParts | null = null) {
    this.#all = all;
    collectDefaultMetrics({ register: this.#own });
    new EventLoopMetrics(this.#own);
    registerLogMetrics(this.#own);
  }

  /** @param teams the teams that the active configuration names */
  countTeams(teams: ReadonlySet<string>): void {
    this.#teams.named = teams;
  }

  /** @param endpoints the unpriced endpoints of the active configuration */
  countUnpriced(endpoints: readonly Pick<Endpoint, 'provider' | 'model'>[]): void {
    this.#upstreams.unpriced(endpoints);
  }

  /** Called once. */
  watch(bytes: BytesInFlight): void {
    new MemoryMetrics(this.#own, bytes);
  }

  issuerFailed(issuer: string): void {
    this.#oidc.failed(issuer);
  }

  notice(target: string, outcome: string): void {
    this.#notices.ended(target, outcome);
  }

  secretRefreshed(backend: string, outcome: string): void {
    this.#secrets.refreshed(backend, outcome);
  }

  notSigned(): void {
    this.#secrets.notSigned();
  }

  /** Wraps the counters, so that the use of budgets is measured. Called once. */
  watchedBudgets(counters: Counters, clock: Pick<Clock, 'now'>): Counters {
    return this.#budgets.watched(counters, clock);
  }

  /** The metrics of this process, for the process that answers the scrape. */
  part(): Promise<MetricsPart> {
    return this.#own.getMetricsAsJSON();
  }

  /** The body of `/metrics`. */
  async expose(gateway: Gateway): Promise<{ body: string; contentType: string }> {
    await this.#read(gateway);
    const body = this.#all === null ? await textOf([this.#own, this.#stored]) : await this.#exposeAll(this.#all);
    return { body, contentType: Registry.PROMETHEUS_CONTENT_TYPE };
  }

  /** Concurrent scrapes share one reading: an older reading that ends later would overwrite a newer one. */
  #read(gateway: Gateway): Promise<void> {
    const parts = [this.#store, this.#exports, this.#witnesses, this.#timestamps];
    this.#reading ??= Promise.all(parts.map((part) => part.read(gateway))).then(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #exposeAll(all: AllParts): Promise<string> {
    const gathered = await all.read(await this.part());
    const completeness = new Registry();
    new WorkerMetrics(completeness).set(gathered);
    return `${commentOn(gathered)}${await textOf([sumOf(gathered.parts), this.#stored, completeness])}`;
  }
}

function textOf(registries: Registry[]): Promise<string> {
  return Registry.merge(registries).metrics();
}
