/** Serialises work on the same name: each caller sees the result of the previous one. */
export class SerialByName {
  readonly #last = new Map<string, Promise<unknown>>();

  /** A caller does not see the failures of earlier callers. */
  take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const mine = before.then(work, work);
    const leave = (): void => {
      if (this.#last.get(name) === mine) this.#last.delete(name);
    };
    this.#last.set(name, mine);
    mine.then(leave, leave);
    return mine;
  }
}
