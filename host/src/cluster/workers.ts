import type { Store } from '@svc/contracts';
import type { Logger } from 'pino';
import { WORKER_KILL_MS } from '../ending/limits.ts';
import { CliError } from '../errors/cli-error.ts';
import { serveStore } from '../store-channel/serve-store.ts';
import type { MetricsPart } from '../telemetry/metrics/parts.ts';
import { Backoff } from './backoff.ts';
import type { Order } from './messages.ts';
import { PartKeeper } from './part-keeper.ts';
import { type Ending, WorkerProcess } from './worker-process.ts';

type State = 'starting' | 'serving' | 'stopping';

/** The workers of one server. Keeps their number constant until they are stopped. */
export class Workers {
  #order: Order;
  readonly #count: number;
  readonly #serve: ReturnType<typeof serveStore> | null;
  readonly #logger: Logger;
  readonly #all = new Set<WorkerProcess>();
  readonly #waits = new Set<NodeJS.Timeout>();
  readonly #backoff = new Backoff();
  readonly #parts: PartKeeper;
  readonly #started = Promise.withResolvers<string>();
  readonly #ended = Promise.withResolvers<void>();
  #state: State = 'starting';
  #listening = 0;
  /** A reload was requested while no worker was serving. */
  #reloadsNext = false;
  /** Whether any worker failed to end in order. */
  #disorder = false;

  /** @param store shared runs-db; null: each worker opens the database itself */
  constructor(order: Order, count: number, store: Store | null, logger: Logger) {
    this.#order = order;
    this.#count = count;
    this.#serve = store === null ? null : serveStore(store);
    this.#logger = logger;
    this.#parts = new PartKeeper(logger);
    // Handled here, because nobody awaits a start during which the server is stopped.
    this.#started.promise.catch(() => undefined);
  }

  /**
   * Resolves to the URL when all workers listen.
   * @throws {CliError} with the reason of the first worker that cannot start
   */
  start(): Promise<string> {
    // The first worker records the inventory, and the others find it in the ledger.
    this.#add(true);
    return this.#started.promise;
  }

  /** One worker reads the configuration file again, and the others follow it. */
  reload(): void {
    const worker = [...this.#all].find(({ serves }) => serves);
    // A worker that is starting has read the previous file.
    this.#reloadsNext = worker === undefined;
    worker?.send({ type: 'reload' });
  }

  get pids(): number[] {
    return [...this.#all].flatMap(({ pid }) => (pid === null ? [] : [pid]));
  }

  /** Ends all workers in order. Resolves to whether all of them did end in order. */
  async stop(signal: string): Promise<boolean> {
    this.#state = 'stopping';
    for (const wait of this.#waits) clearTimeout(wait);
    for (const worker of this.#all) worker.send({ type: 'stop', signal });
    const { drain_delay_ms, drain_timeout_ms } = this.#order;
    const timeout = setTimeout(() => this.#killAll(), drain_delay_ms + drain_timeout_ms + WORKER_KILL_MS);
    this.#endIfNone();
    await this.#ended.promise;
    clearTimeout(timeout);
    return !this.#disorder;
  }

  #add(first = false): void {
    const worker: WorkerProcess = new WorkerProcess(
      { ...this.#order, first },
      {
        listening: (url) => this.#onListening(worker, url),
        applied: (config_bytes) => {
          this.#order = { ...this.#order, config_bytes };
        },
        part: (id, part) => this.#parts.take(worker, id, part),
        gather: (id, own) => void this.#gatherFor(worker, id, own),
        ended: (ending) => this.#onEnded(worker, ending),
      },
    );
    this.#serve?.(worker.storeChannel);
    this.#all.add(worker);
  }

  #onListening(worker: WorkerProcess, url: string): void {
    if (this.#state === 'serving') this.#logger.info({ event: 'worker_started', worker: worker.pid, url });
    this.#listening += 1;
    if (this.#reloadsNext) this.reload();
    if (this.#state === 'starting' && this.#listening === 1) for (let n = 1; n < this.#count; n += 1) this.#add();
    if (this.#state === 'starting' && this.#listening === this.#count) {
      this.#state = 'serving';
      this.#started.resolve(url);
    }
  }

  #onEnded(worker: WorkerProcess, { pid, code, signal, reason, served_ms }: Ending): void {
    this.#all.delete(worker);
    this.#parts.retire(worker);
    switch (this.#state) {
      case 'starting':
        this.#started.reject(new CliError(reason));
        return;
      case 'serving': {
        const again_in_ms = this.#backoff.waitAfter(served_ms);
        this.#logger.error({ event: 'worker_ended', worker: pid, code, signal, reason, again_in_ms });
        this.#addAfter(again_in_ms);
        return;
      }
      case 'stopping':
        this.#disorder ||= code !== 0;
        // The reason why the start failed covers workers that never served.
        if (code !== 0 && served_ms > 0) this.#logger.error({ event: 'worker_ended', worker: pid, code, signal, reason });
        this.#endIfNone();
    }
  }

  #addAfter(ms: number): void {
    const wait = setTimeout(() => {
      this.#waits.delete(wait);
      this.#add();
    }, ms);
    this.#waits.add(wait);
  }

  async #gatherFor(asker: WorkerProcess, id: number, own: MetricsPart): Promise<void> {
    this.#parts.take(asker, null, own);
    asker.send({ type: 'gathered', id, gathered: await this.#parts.gather(asker, [...this.#all], this.#count) });
  }

  #killAll(): void {
    for (const worker of this.#all) worker.kill();
  }

  #endIfNone(): void {
    if (this.#all.size === 0) this.#ended.resolve();
  }
}
