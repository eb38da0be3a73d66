import { countedOf, type GatheredParts, type MetricsPart, sumOf } from '../metrics/parts.ts';
import type { WorkerProcess } from './worker-process.ts';

/** How long a worker has to say what it counted. */
const ANSWER_MS = 2_000;

/**
 * What the workers have counted. A counter must not fall because a worker is late or gone: readers would take that for a restart, and
 * count everything again. So the last part of each is kept, and what the dead have counted stays in the sum.
 */
export class PartKeeper {
  readonly #last = new Map<WorkerProcess, MetricsPart>();
  readonly #asked = new Map<number, { readonly worker: WorkerProcess; settle(answered: boolean): void }>();
  #gone: Promise<MetricsPart> = Promise.resolve([]);
  #ids = 0;

  /** @param id what {@link gather} asked with, null where the worker told on its own */
  take(worker: WorkerProcess, id: number | null, part: MetricsPart): void {
    this.#last.set(worker, part);
    if (id !== null) this.#asked.get(id)?.settle(true);
  }

  retire(worker: WorkerProcess): void {
    for (const asked of this.#asked.values()) if (asked.worker === worker) asked.settle(false);
    const part = this.#last.get(worker);
    this.#last.delete(worker);
    if (part !== undefined) this.#gone = this.#gone.then((gone) => sumOf([gone, countedOf(part)]).getMetricsAsJSON());
  }

  /** What all have counted; `asker` is not asked again. */
  async gather(asker: WorkerProcess, all: readonly WorkerProcess[], workers: number): Promise<GatheredParts> {
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
  #ask(worker: WorkerProcess): Promise<boolean> {
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
