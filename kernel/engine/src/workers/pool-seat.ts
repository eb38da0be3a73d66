import { GuardThread } from './guard-thread.ts';
import type { PoolTask } from './pool-task.ts';
import type { Report } from './worker.ts';

/** Input that tasks which were begun in one thread may have in all: what they build from it stays in the thread until they end. */
const MAX_BEGUN_BYTES = 1_048_576;
const MAX_BEGUN = 64;

/** A thread and the tasks that were begun in it: one has its turn, the others yielded. */
export class PoolSeat {
  readonly thread: GuardThread;
  /** Whose turn it is; null: nobody's. */
  running: PoolTask | null = null;
  /** Nobody waits any more for the one that has the turn. */
  isDropping = false;
  readonly begun = new Set<PoolTask>();
  #used = performance.now();

  constructor(reported: (seat: PoolSeat, report: Report) => void, ended: (seat: PoolSeat) => void) {
    this.thread = new GuardThread({ reported: (report) => reported(this, report), ended: () => ended(this) });
  }

  isIdleFor(ms: number): boolean {
    return this.begun.size === 0 && performance.now() - this.#used >= ms;
  }

  /** Whether a task that was not begun yet may be begun here. */
  hasRoomFor(task: PoolTask): boolean {
    if (this.begun.size === 0) return true;
    if (task.isSmall) return this.begun.size < MAX_BEGUN;
    let sum = task.bytes;
    for (const { bytes } of this.begun) sum += bytes;
    return sum <= MAX_BEGUN_BYTES;
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
