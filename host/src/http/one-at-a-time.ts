import { SvcError } from '@svc/contracts';

/** What is long and costs much: of each principal one, others do not wait for it. */
export class OneAtATime {
  readonly #under_way = new Set<string>();

  /** @throws {SvcError} SVC-LIMIT-003 while another of this principal is under way, and what `work` throws */
  async run<T>(principal_id: string, work: () => Promise<T>): Promise<T> {
    if (this.#under_way.has(principal_id))
      throw new SvcError('SVC-LIMIT-003', 'another request of this kind is under way; wait for its answer', { retry_after_s: 1 });
    this.#under_way.add(principal_id);
    try {
      return await work();
    } finally {
      this.#under_way.delete(principal_id);
    }
  }
}
