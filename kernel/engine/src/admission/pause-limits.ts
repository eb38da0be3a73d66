import { type Store, SvcError } from '@svc/contracts';
import { PausedCounts, RecentCounts } from './paused-counts.ts';

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

/**
 * Limits the paused runs, in total and per principal. Counts what is stored, so the count cannot drift. Exact within one process: near the
 * limit, a pause waits until those before it are written. Processes that share a store do not wait for each other.
 */
export class PauseLimits {
  readonly #counts: PausedCounts;
  readonly #recent: RecentCounts;
  readonly #max: MaxPaused;
  /** In order of arrival. */
  readonly #underWay = new Set<UnderWay>();

  constructor(store: Pick<Store, 'countRuns' | 'runs'>, max: MaxPaused) {
    this.#counts = new PausedCounts(store);
    this.#recent = new RecentCounts(this.#counts);
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
      this.#recent.forget();
      resolve();
    }
  }

  /** Cheap enough for every request: true also up to a second after room was made. @throws {SvcError} SVC-STORE-001 */
  async mayBeFull(principal_id: string): Promise<boolean> {
    const { in_all, per_principal } = this.#max;
    const all = await this.#recent.inAll();
    if (all < Math.min(in_all, per_principal)) return false;
    return all >= in_all || (await this.#recent.of(principal_id, per_principal)) >= per_principal;
  }

  /** Whether there is room for one more pause now. @throws {SvcError} SVC-STORE-001 */
  hasRoom(principal_id: string): Promise<boolean> {
    return this.#hasRoom(principal_id, [...this.#underWay]);
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
    const in_all = await this.#counts.inAll();
    if (in_all + waiting < per_principal) return { in_all, own: in_all };
    return { in_all, own: await this.#counts.of(principal_id, per_principal) };
  }
}

/** What a caller gets whose request would pause where too many do. */
export function tooManyPaused(): SvcError {
  return new SvcError('SVC-RATE-001', 'too many runs wait for a decision', { retry_after_s: 60 });
}
