import { errorName, type Logger } from '@svc/contracts';
import { countedOf, type GatheredParts, type MetricsPart, sumOf } from '../telemetry/metrics/parts.ts';
import type { ToWorker } from './messages.ts';

/** How long a worker has to report its metrics. */
const ANSWER_MS = 2_000;

/** A worker, as a source of metrics. */
export interface CountingWorker {
  readonly pid: number | null;
  readonly serves: boolean;
  send(message: ToWorker): void;
}

/**
 * Collects the metrics of all workers. A counter must not fall because a worker is late or dead: readers would take that for a restart and count
 * everything again. So the last part of each worker is kept, and the counts of dead workers stay in the sum.
 */
export class PartKeeper {
  readonly #logger: Pick<Logger, 'warn'>;
  readonly #last = new Map<CountingWorker, MetricsPart>();
  readonly #asked = new Map<number, { readonly worker: CountingWorker; answer(inTime: boolean): void }>();
  #gone: Promise<MetricsPart> = Promise.resolve([]);
  #ids = 0;

  constructor(logger: Pick<Logger, 'warn'>) {
    this.#logger = logger;
  }

  /** @param id the id that {@link gather} sent; null if the worker reported on its own */
  take(worker: CountingWorker, id: number | null, part: MetricsPart): void {
    this.#last.set(worker, part);
    if (id !== null) this.#asked.get(id)?.answer(true);
  }

  retire(worker: CountingWorker): void {
    for (const asked of this.#asked.values()) if (asked.worker === worker) asked.answer(false);
    const part = this.#last.get(worker);
    this.#last.delete(worker);
    if (part === undefined) return;
    // A part that cannot be aggregated is left out, because otherwise there would be no sum at all.
    const added = async (gone: MetricsPart): Promise<MetricsPart> => sumOf([gone, countedOf(part)]).getMetricsAsJSON();
    this.#gone = this.#gone.then((gone) =>
      added(gone).catch((error: unknown) => {
        this.#logger.warn({ event: 'worker_metrics_lost', worker: worker.pid, reason: errorName(error) });
        return gone;
      }),
    );
  }

  /** The metrics of all workers. `asker` has sent its own and is not asked again. */
  async gather(asker: CountingWorker, all: readonly CountingWorker[], workers: number): Promise<GatheredParts> {
    const others = all.filter((worker) => worker !== asker && worker.serves);
    const late = new Set(others);
    await Promise.all(others.map(async (worker) => (await this.#ask(worker)) && late.delete(worker)));
    // Both are read at the same time, so that a worker that ends meanwhile is in exactly one of them.
    const parts = [...this.#last.values()];
    const gone = await this.#gone;
    const stillLate = [...late].filter(({ serves }) => serves);
    return {
      parts: [gone, ...parts],
      workers,
      answered: 1 + others.length - late.size,
      late: stillLate.flatMap(({ pid }) => (pid === null ? [] : [pid])),
    };
  }

  /** Whether the worker answered in time. */
  #ask(worker: CountingWorker): Promise<boolean> {
    this.#ids += 1;
    const id = this.#ids;
    return new Promise((resolve) => {
      const answer = (inTime: boolean): void => {
        clearTimeout(timeout);
        this.#asked.delete(id);
        resolve(inTime);
      };
      const timeout = setTimeout(answer, ANSWER_MS, false);
      this.#asked.set(id, { worker, answer });
      worker.send({ type: 'give_part', id });
    });
  }
}
