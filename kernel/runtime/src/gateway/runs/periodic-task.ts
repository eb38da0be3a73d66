export interface PeriodicTaskOptions {
  readonly every_ms: number;
  /** The wait after a failure. Default: `every_ms`. */
  readonly retry_ms?: number;
  /** Called after each failure. Must not throw. */
  readonly failed: (error: unknown) => void;
}

/** Runs work periodically. The wait starts when the work is done, so the work never runs twice at the same time. Failed work is repeated. */
export class PeriodicTask {
  readonly #work: () => Promise<void>;
  readonly #options: PeriodicTaskOptions;
  #timer: NodeJS.Timeout | undefined;
  #underWay: Promise<void> | null = null;
  #isRequested = false;
  #stopped = false;

  constructor(work: () => Promise<void>, options: PeriodicTaskOptions) {
    this.#work = work;
    this.#options = options;
  }

  /** @param first_ms the wait before the first run */
  start(first_ms = this.#options.every_ms): void {
    this.#wait(first_ms);
  }

  /**
   * Runs the work now. If it is already running, runs it once more afterwards, because it may have missed the newest changes. Resolves when that is
   * done, even if it failed.
   */
  now(): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    this.#isRequested = true;
    clearTimeout(this.#timer);
    this.#underWay ??= this.#do();
    return this.#underWay;
  }

  /** Stops the task. Resolves when running work is done. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#underWay;
  }

  async #do(): Promise<void> {
    let done = true;
    while (this.#isRequested && !this.#stopped) {
      this.#isRequested = false;
      done = await this.#attempt();
    }
    this.#underWay = null;
    const { every_ms, retry_ms = every_ms } = this.#options;
    if (!this.#stopped) this.#wait(done ? every_ms : retry_ms);
  }

  async #attempt(): Promise<boolean> {
    try {
      await this.#work();
      return true;
    } catch (error) {
      this.#options.failed(error);
      return false;
    }
  }

  #wait(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.now(), ms);
    this.#timer.unref();
  }
}
