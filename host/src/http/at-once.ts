import { SvcError } from '@svc/contracts';

/** The maximum for erasures. Each one waits for the operations log, which delays others. */
export const ERASURES_AT_ONCE = 32;

/** Limits how many expensive requests of one principal run at the same time, so that other principals need not wait for them. */
export class AtOnce {
  readonly #most: number;
  readonly #under_way = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** @throws {SvcError} SVC-LIMIT-003 if this principal's maximum is reached; errors of `work` */
  async run<T>(principal_id: string, work: () => Promise<T>): Promise<T> {
    const others = this.#under_way.get(principal_id) ?? 0;
    if (others === this.#most)
      throw new SvcError('SVC-LIMIT-003', `${others} requests of this kind are already in progress; wait for an answer`, {
        retry_after_s: 1,
      });
    this.#under_way.set(principal_id, others + 1);
    try {
      return await work();
    } finally {
      const left = (this.#under_way.get(principal_id) ?? 0) - 1;
      if (left > 0) this.#under_way.set(principal_id, left);
      else this.#under_way.delete(principal_id);
    }
  }
}
