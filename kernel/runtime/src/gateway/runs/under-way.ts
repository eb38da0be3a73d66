import { setImmediate } from 'node:timers/promises';

/** Work that uses what may be replaced meanwhile, such as the guards of a route. */
export class UnderWay {
  readonly #all = new Set<Promise<unknown>>();

  during<T>(work: Promise<T>): Promise<T> {
    const done = (): void => void this.#all.delete(work);
    this.#all.add(work);
    work.then(done, done);
    return work;
  }

  /**
   * Resolves when everything has ended that is under way now, and what it led to at once: a run whose request was still being prepared. So
   * what was replaced before this call is used no longer.
   */
  async ended(): Promise<void> {
    for (let round = 0; round < 2; round += 1) {
      await Promise.allSettled(this.#all);
      await setImmediate();
    }
  }
}
