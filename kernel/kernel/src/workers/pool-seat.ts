import type { Thrown } from '../observing/thrown.ts';
import { GuardThread } from './guard-thread.ts';
import type { PoolTask } from './pool-task.ts';
import type { Report } from './worker.ts';

/** Maximum total input of large tasks started in one thread. Their memory is held until they end. */
const MAX_LARGE_BYTES = 1_048_576;
/** With this many tasks in one thread, only principals that have none there may start one. */
const MAX_BEGUN = 64;

/** A thread and the tasks that were begun in it: one has its turn, the others yielded. */
export class PoolSeat {
  readonly thread: GuardThread;
  /** Whose turn it is; null: nobody's. */
  running: PoolTask | null = null;
  /** The caller has cancelled the running task. */
  isDropping = false;
  readonly begun = new Set<PoolTask>();
  #used = performance.now();

  constructor(reported: (seat: PoolSeat, report: Report) => void, ended: (seat: PoolSeat, thrown: Thrown) => void) {
    this.thread = new GuardThread({ reported: (report) => reported(this, report), ended: (thrown) => ended(this, thrown) });
  }

  isIdleFor(ms: number): boolean {
    return this.begun.size === 0 && performance.now() - this.#used >= ms;
  }

  /** Whether a new task may be started here. Small and large tasks take no room from each other, otherwise each would wait forever. */
  hasRoomFor(task: PoolTask): boolean {
    if (task.isSmall && this.begun.size < MAX_BEGUN) return true;
    const begun = [...this.begun];
    if (task.isSmall) return begun.every(({ principal_id }) => principal_id !== task.principal_id);
    const large = begun.filter(({ isSmall }) => !isSmall);
    return large.length === 0 || large.reduce((sum, { bytes }) => sum + bytes, task.bytes) <= MAX_LARGE_BYTES;
  }

  /** Gives a task its turn. @throws if it cannot be cloned */
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
