import { setImmediate } from 'node:timers/promises';

/** Tracks work that uses something replaceable, such as the guards of a route. */
export class UnderWay {
  readonly #all = new Set<Promise<unknown>>();

  during<T>(work: Promise<T>): Promise<T> {
    const done = (): void => void this.#all.delete(work);
    this.#all.add(work);
    work.then(done, done);
    return work;
  }

  /**
   * Resolves when all current work has ended, including runs whose request is still being prepared. After that, nothing uses what was replaced before
   * this call.
   */
  async ended(): Promise<void> {
    for (let round = 0; round < 2; round += 1) {
      await Promise.allSettled(this.#all);
      await setImmediate();
    }
  }
}
