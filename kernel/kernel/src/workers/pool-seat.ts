import type { Thrown } from '../observing/thrown.ts';
import { GuardThread } from './guard-thread.ts';
import type { PoolTask } from './pool-task.ts';
import type { Report } from './worker.ts';

/** Input that large tasks which were begun in one thread may have in all: what they build from it stays in the thread until they end. */
const MAX_LARGE_BYTES = 1_048_576;
/** With so many begun in one thread, only principals that have none there begin one. */
const MAX_BEGUN = 64;

/** A thread and the tasks that were begun in it: one has its turn, the others yielded. */
export class PoolSeat {
  readonly thread: GuardThread;
  /** Whose turn it is; null: nobody's. */
  running: PoolTask | null = null;
  /** The caller of the task that has the turn has given it up. */
  isDropping = false;
  readonly begun = new Set<PoolTask>();
  #used = performance.now();

  constructor(reported: (seat: PoolSeat, report: Report) => void, ended: (seat: PoolSeat, thrown: Thrown) => void) {
    this.thread = new GuardThread({ reported: (report) => reported(this, report), ended: (thrown) => ended(this, thrown) });
  }

  isIdleFor(ms: number): boolean {
    return this.begun.size === 0 && performance.now() - this.#used >= ms;
  }

  /** Whether a task that was not begun yet may be begun here. Small ones take no room from large ones, nor these from them: each would wait for ever. */
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
