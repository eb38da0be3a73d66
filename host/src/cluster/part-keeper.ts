import { countedOf, type GatheredParts, type MetricsPart, sumOf } from '../telemetry/metrics/parts.ts';
import type { ToWorker } from './messages.ts';

/** How long a worker has to say what it counted. */
const ANSWER_MS = 2_000;

/** A worker, as far as it is asked what it has counted. */
export interface CountingWorker {
  readonly pid: number | null;
  readonly serves: boolean;
  send(message: ToWorker): void;
}

/**
 * What the workers have counted. A counter must not fall because a worker is late or gone: readers would take that for a restart, and
 * count everything again. So the last part of each is kept, and what the dead have counted stays in the sum.
 */
export class PartKeeper {
  readonly #last = new Map<CountingWorker, MetricsPart>();
  readonly #asked = new Map<number, { readonly worker: CountingWorker; settle(answered: boolean): void }>();
  #gone: Promise<MetricsPart> = Promise.resolve([]);
  #ids = 0;

  /** @param id what {@link gather} asked with, null where the worker told on its own */
  take(worker: CountingWorker, id: number | null, part: MetricsPart): void {
    this.#last.set(worker, part);
    if (id !== null) this.#asked.get(id)?.settle(true);
  }

  retire(worker: CountingWorker): void {
    for (const asked of this.#asked.values()) if (asked.worker === worker) asked.settle(false);
    const part = this.#last.get(worker);
    this.#last.delete(worker);
    if (part === undefined) return;
    // One that cannot be added up is left out: else there would be no sum any more, of anybody.
    const added = async (gone: MetricsPart): Promise<MetricsPart> => sumOf([gone, countedOf(part)]).getMetricsAsJSON();
    this.#gone = this.#gone.then((gone) => added(gone).catch(() => gone));
  }

  /** What all have counted; `asker` is not asked again. */
  async gather(asker: CountingWorker, all: readonly CountingWorker[], workers: number): Promise<GatheredParts> {
    const others = all.filter((worker) => worker !== asker && worker.serves);
    const late = new Set(others);
    await Promise.all(others.map(async (worker) => (await this.#ask(worker)) && late.delete(worker)));
    // At one moment, so that whoever ends meanwhile is in exactly one of the two.
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

  /** Whether it answered in time. */
  #ask(worker: CountingWorker): Promise<boolean> {
    this.#ids += 1;
    const id = this.#ids;
    return new Promise((resolve) => {
      const settle = (answered: boolean): void => {
        clearTimeout(impatience);
        this.#asked.delete(id);
        resolve(answered);
      };
      const impatience = setTimeout(settle, ANSWER_MS, false);
      this.#asked.set(id, { worker, settle });
      worker.send({ type: 'give_part', id });
    });
  }
}
