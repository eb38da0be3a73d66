export interface PeriodicTaskOptions {
  readonly every_ms: number;
  /** The wait after a failure; that of every time unless given. */
  readonly again_ms?: number;
  /** Told of each failure. Must not throw. */
  readonly failed: (error: unknown) => void;
}

/** Work that is done again and again, never twice at once: the wait begins when it is done. What fails is done again. */
export class PeriodicTask {
  readonly #work: () => Promise<void>;
  readonly #options: PeriodicTaskOptions;
  #timer: NodeJS.Timeout | undefined;
  #underWay: Promise<void> | null = null;
  #asked = false;
  #stopped = false;

  constructor(work: () => Promise<void>, options: PeriodicTaskOptions) {
    this.#work = work;
    this.#options = options;
  }

  /** The first time comes after one wait. */
  start(): void {
    this.#wait(this.#options.every_ms);
  }

  /** Does it now; where it is under way, once more after that, since it may have looked already. Resolves when that is done, failed or not. */
  now(): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    this.#asked = true;
    clearTimeout(this.#timer);
    this.#underWay ??= this.#do();
    return this.#underWay;
  }

  /** Not any more. Resolves when what is under way is done. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#underWay;
  }

  async #do(): Promise<void> {
    let done = true;
    while (this.#asked && !this.#stopped) {
      this.#asked = false;
      done = await this.#attempt();
    }
    this.#underWay = null;
    const { every_ms, again_ms = every_ms } = this.#options;
    if (!this.#stopped) this.#wait(done ? every_ms : again_ms);
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
