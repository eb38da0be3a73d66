import { type Store, SvcError, withTimeout } from '@svc/contracts';

/** Maximum numbers of paused runs. */
export interface MaxPaused {
  readonly in_all: number;
  /** At most 10,000: a store counts no more at once. */
  readonly per_principal: number;
}

/** A pause that is being written. */
interface UnderWay {
  readonly principal_id: string;
  readonly done: Promise<void>;
}

/** Shorter than a caller waits for a commit. */
const MAX_WAIT_MS = 4_000;
/**
 * Limits the paused runs, in total and per principal. Counts what is stored, so the count cannot drift. Exact within one process: near the
 * limit, a pause waits until those before it are written. Processes that share a store do not wait for each other.
 */
export class PauseLimits {
  readonly #store: Pick<Store, 'countRuns' | 'runs'>;
  readonly #max: MaxPaused;
  /** In order of arrival. */
  readonly #underWay = new Set<UnderWay>();

  constructor(store: Pick<Store, 'countRuns' | 'runs'>, max: MaxPaused) {
    this.#store = store;
    this.#max = max;
  }

  /**
   * Writes a pause if there is room for one more. Resolves to null otherwise.
   * @throws {SvcError} SVC-STORE-001
   */
  async pause<T>(principal_id: string, write: () => Promise<T>): Promise<T | null> {
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const own: UnderWay = { principal_id, done };
    const ahead = [...this.#underWay];
    this.#underWay.add(own);
    try {
      return (await this.#hasRoom(principal_id, ahead)) ? await write() : null;
    } finally {
      this.#underWay.delete(own);
      resolve();
    }
  }

  async #hasRoom(principal_id: string, ahead: readonly UnderWay[]): Promise<boolean> {
    const waiting = ahead.filter((other) => this.#underWay.has(other));
    const own = waiting.filter((other) => other.principal_id === principal_id);
    const stored = await this.#stored(principal_id, waiting.length);
    const { in_all, per_principal } = this.#max;
    if (stored.in_all >= in_all || stored.own >= per_principal) return false;
    // Those ahead are counted whether or not they are stored yet, so this is an upper bound.
    if (stored.in_all + waiting.length < in_all && stored.own + own.length < per_principal) return true;
    await Promise.all(waiting.map(({ done }) => done));
    return this.#hasRoom(principal_id, []);
  }

  /** `own` is read only if it can matter: it is never more than `in_all`. */
  async #stored(principal_id: string, waiting: number): Promise<{ in_all: number; own: number }> {
    const { per_principal } = this.#max;
    const in_all = (await inTime(this.#store.countRuns())).paused;
    if (in_all + waiting < per_principal) return { in_all, own: in_all };
    const query = { status: ['paused'], principal: principal_id, limit: per_principal } as const;
    return { in_all, own: (await inTime(this.#store.runs(query))).rows.length };
  }
}

/** A store that fails or hangs could not store the pause either. */
async function inTime<T>(reading: Promise<T>): Promise<T> {
  const failed = (cause?: unknown): SvcError => new SvcError('SVC-STORE-001', 'what is stored cannot be read now', { cause });
  const read = await withTimeout(reading, MAX_WAIT_MS).catch((error: unknown) => {
    throw failed(error);
  });
  if (!read.done) throw failed();
  return read.value;
}
