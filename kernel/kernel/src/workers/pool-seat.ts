import type { Thrown } from '../observing/thrown.ts';
import { GuardThread } from './guard-thread.ts';
import type { PoolTask } from './pool-task.ts';
import type { Report } from './worker.ts';

/** Maximum total input, in bytes, of the large tasks started in one thread. Their memory is held until they end. */
const MAX_LARGE_BYTES = 1_048_576;
/** If a thread has this many tasks, only a principal without tasks there may start another. */
const MAX_BEGUN = 64;

/** A thread and the tasks that were started in it. One of them runs; the others have yielded. */
export class PoolSeat {
  readonly thread: GuardThread;
  running: PoolTask | null = null;
  /** Whether the caller has cancelled the running task. */
  isDropping = false;
  readonly begun = new Set<PoolTask>();
  #used = performance.now();

  constructor(reported: (seat: PoolSeat, report: Report) => void, ended: (seat: PoolSeat, thrown: Thrown) => void) {
    this.thread = new GuardThread({ reported: (report) => reported(this, report), ended: (thrown) => ended(this, thrown) });
  }

  isIdleFor(ms: number): boolean {
    return this.begun.size === 0 && performance.now() - this.#used >= ms;
  }

  /** Whether a new task may start here. Small and large tasks are counted separately, so that neither kind waits forever for the other. */
  hasRoomFor(task: PoolTask): boolean {
    if (task.isSmall && this.begun.size < MAX_BEGUN) return true;
    const begun = [...this.begun];
    if (task.isSmall) return begun.every(({ principal_id }) => principal_id !== task.principal_id);
    const large = begun.filter(({ isSmall }) => !isSmall);
    return large.length === 0 || large.reduce((sum, { bytes }) => sum + bytes, task.bytes) <= MAX_LARGE_BYTES;
  }

  /** Starts or resumes a task. @throws if its input cannot be cloned */
  give(task: PoolTask): void {
    const { id, task: guardTask } = task;
    if (this.begun.has(task)) {
      this.thread.order({ kind: 'resume', id });
      guardTask.resumed();
    } else {
      const { moduleUrl, input } = guardTask;
      this.thread.order({ kind: 'begin', id, moduleUrl, input });
      this.begun.add(task);
    }
    this.running = task;
    this.#used = performance.now();
  }
}
