import { type Store, SvcError, withTimeout } from '@svc/contracts';

/** Shorter than the longest time that a caller waits for a commit. */
const MAX_WAIT_MS = 4_000;
/** How long a count is used, although another process may have changed it. */
const KNOWN_FOR_MS = 1_000;

type Counted = Pick<Store, 'countRuns' | 'runs'>;

/** Counts the paused runs in the store now. @throws {SvcError} SVC-STORE-001 */
export class PausedCounts {
  readonly #store: Counted;

  constructor(store: Counted) {
    this.#store = store;
  }

  async inAll(): Promise<number> {
    return (await inTime(this.#store.countRuns())).paused;
  }

  /** Counts at most `limit` runs, from 1 to 10,000. */
  async of(principal: string, limit: number): Promise<number> {
    return (await inTime(this.#store.runs({ status: ['paused'], principal, limit }))).rows.length;
  }
}

/** Caches the counts. The store is read at most once a second, and again after each pause in this process. */
export class RecentCounts {
  readonly #counts: PausedCounts;
  #until = 0;
  #in_all: Promise<number> | null = null;
  readonly #own = new Map<string, Promise<number>>();

  constructor(counts: PausedCounts) {
    this.#counts = counts;
  }

  inAll(): Promise<number> {
    this.#forgetOld();
    this.#in_all ??= this.#counts.inAll();
    return this.#in_all;
  }

  of(principal: string, limit: number): Promise<number> {
    this.#forgetOld();
    const counted = this.#own.get(principal) ?? this.#counts.of(principal, limit);
    this.#own.set(principal, counted);
    return counted;
  }

  forget(): void {
    this.#in_all = null;
    this.#own.clear();
  }

  #forgetOld(): void {
    const now = performance.now();
    if (now < this.#until) return;
    this.forget();
    this.#until = now + KNOWN_FOR_MS;
  }
}

/** If the store cannot be read in time, it could not store the pause either. */
async function inTime<T>(reading: Promise<T>): Promise<T> {
  const failed = (cause?: unknown): SvcError =>
    new SvcError('SVC-STORE-001', 'the store cannot be read at the moment; try again later', { cause });
  const read = await withTimeout(reading, MAX_WAIT_MS).catch((error: unknown) => {
    throw failed(error);
  });
  if (!read.done) throw failed();
  return read.value;
}
