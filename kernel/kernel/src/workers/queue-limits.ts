import type { PoolTask } from './pool-task.ts';

/** The queue's limits. A principal that has used its share of these tasks or bytes is refused. */
const MAX_QUEUED = 1024;
const MAX_QUEUED_BYTES = 268_435_456;
/**
 * If a principal's small task has waited this long, new tasks of the principal are refused, because they would wait too long. Large tasks may wait
 * longer for each other.
 */
const MAX_AGE_MS = 5000;

interface Queued {
  /** In order of arrival. */
  readonly tasks: Set<PoolTask>;
  bytes: number;
}

/** The tasks that wait to be started, by principal. Each principal has its share of the queue, so no principal is refused because of another. */
export class QueueLimits {
  readonly #queued = new Map<string, Queued>();

  isFullFor(principal_id: string): boolean {
    const own = this.#queued.get(principal_id);
    if (own === undefined) return false;
    const shares = this.#queued.size;
    if (own.tasks.size >= MAX_QUEUED / shares || own.bytes >= MAX_QUEUED_BYTES / shares) return true;
    for (const task of own.tasks) if (task.isSmall) return performance.now() - task.since > MAX_AGE_MS;
    return false;
  }

  entered(task: PoolTask): void {
    const own = this.#queued.get(task.principal_id) ?? { tasks: new Set(), bytes: 0 };
    own.tasks.add(task);
    own.bytes += task.bytes;
    this.#queued.set(task.principal_id, own);
  }

  /** The task was started or cancelled. */
  left(task: PoolTask): void {
    const own = this.#queued.get(task.principal_id);
    if (own === undefined || !own.tasks.delete(task)) return;
    own.bytes -= task.bytes;
    if (own.tasks.size === 0) this.#queued.delete(task.principal_id);
  }
}
