import { type Store, withTimeout } from '@svc/contracts';
import { PauseClaim } from '@svc/kernel/admission';
import { PausedCounts, RecentCounts } from './paused-counts.ts';

/** How long a request that would pause waits for earlier requests that may pause. */
const MAX_UNDECIDED_MS = 5_000;

/** Maximum numbers of paused runs. */
export interface MaxPaused {
  readonly in_all: number;
  /** At most 10,000, because a store counts no further. */
  readonly per_principal: number;
}

/**
 * Limits the number of paused runs, in total and per principal. The stored runs are counted, so the count cannot drift. The limit is exact within one
 * process: near it, a pause waits until those before it are written. Processes that share a store do not wait for each other.
 */
export class PauseLimits {
  readonly #counts: PausedCounts;
  readonly #recent: RecentCounts;
  readonly #max: MaxPaused;
  /** Claims of requests that may pause, in order of arrival. */
  readonly #undecided = new Set<PauseClaim>();
  /** Claims of requests that will pause, in this order. */
  readonly #pausing = new Set<PauseClaim>();

  constructor(store: Pick<Store, 'countRuns' | 'runs'>, max: MaxPaused) {
    this.#counts = new PausedCounts(store);
    this.#recent = new RecentCounts(this.#counts);
    this.#max = max;
  }

  /** Creates the claim of a request that may pause. Other requests count the claim until it ends. */
  claim(principal_id: string): PauseClaim {
    const claim = new PauseClaim(principal_id, () => {
      this.#undecided.delete(claim);
      if (this.#pausing.delete(claim)) this.#recent.forget();
    });
    this.#undecided.add(claim);
    return claim;
  }

  /**
   * Whether there may be no room for one more run, if every request that may pause does so. Call this with the newest claim. Cheap enough for every
   * request, because the counts are cached: for up to a second after room was made, the result may still be true.
   * @throws {SvcError} SVC-STORE-001
   */
  async mayBeFull({ principal_id }: PauseClaim): Promise<boolean> {
    const { in_all, per_principal } = this.#max;
    // Claims are counted before the store is read, so a pause that is stored in between counts twice rather than not at all.
    const claims = [...this.#undecided, ...this.#pausing];
    const others = claims.length - 1;
    const own = claims.filter((other) => other.principal_id === principal_id).length - 1;
    const all = await this.#recent.inAll();
    if (all + others < Math.min(in_all, per_principal)) return false;
    return all + others >= in_all || (await this.#recent.of(principal_id, per_principal)) + own >= per_principal;
  }

  /**
   * Reserves room for a request that would pause. Waits until it is known whether the earlier requests pause.
   * @returns false if there is no room, or if this takes too long
   * @throws {SvcError} SVC-STORE-001
   */
  async reserve(claim: PauseClaim): Promise<boolean> {
    const undecided = before(this.#undecided, claim);
    // Claims are counted before and after the store is read, because a pause may be stored and end in between.
    const claims = new Set([...this.#pausing, ...undecided]);
    const { in_all, own } = await this.#stored(claim.principal_id, this.#max.per_principal);
    if (this.#isFull(in_all, own)) return false;
    for (const other of this.#pausing) claims.add(other);
    const isNear = in_all + claims.size >= this.#max.in_all;
    const decided = undecided.flatMap((other) => (isNear || isOwn(other, claim) ? other.decided : []));
    if (!(await withTimeout(Promise.all(decided), MAX_UNDECIDED_MS)).done) return false;
    return this.#hasRoom(claim);
  }

  /**
   * Writes a pause if there is room for one more. Otherwise resolves to null.
   * @param claim the request's claim, if it has one
   * @throws {SvcError} SVC-STORE-001
   */
  async pause<T>(principal_id: string, write: () => Promise<T>, claim = this.claim(principal_id)): Promise<T | null> {
    try {
      return (await this.#hasRoom(claim)) ? await write() : null;
    } finally {
      claim.end();
    }
  }

  /** Whether there is room. Adds the claim to those that will pause, unless it is among them. */
  async #hasRoom(claim: PauseClaim): Promise<boolean> {
    this.#undecided.delete(claim);
    this.#pausing.add(claim);
    claim.decide();
    const waiting = before(this.#pausing, claim);
    const own = waiting.filter((other) => isOwn(other, claim));
    const { in_all, per_principal } = this.#max;
    const stored = await this.#stored(claim.principal_id, waiting.length);
    if (this.#isFull(stored.in_all, stored.own)) return false;
    // Claims before this one count whether they are stored yet or not, so this is an upper bound.
    const isNear = stored.in_all + waiting.length >= in_all;
    if (!isNear && stored.own + own.length < per_principal) return true;
    await Promise.all((isNear ? waiting : own).map(({ ended }) => ended));
    return this.#hasRoom(claim);
  }

  #isFull(in_all: number, own: number): boolean {
    return in_all >= this.#max.in_all || own >= this.#max.per_principal;
  }

  /** `own` is read only if it makes a difference. It is never greater than `in_all`. */
  async #stored(principal_id: string, waiting: number): Promise<{ in_all: number; own: number }> {
    const { per_principal } = this.#max;
    const in_all = await this.#counts.inAll();
    if (in_all + waiting < per_principal) return { in_all, own: in_all };
    return { in_all, own: await this.#counts.of(principal_id, per_principal) };
  }
}

function isOwn(other: PauseClaim, { principal_id }: PauseClaim): boolean {
  return other.principal_id === principal_id;
}

/** The claims before one. */
function before(claims: ReadonlySet<PauseClaim>, claim: PauseClaim): PauseClaim[] {
  const all = [...claims];
  return all.slice(0, all.indexOf(claim));
}
