import { availableParallelism } from 'node:os';
import { type GuardTask, type GuardWorkers, TaskFailed, WorkersBusy } from './guard-workers.ts';
import { PoolSeat } from './pool-seat.ts';
import { PoolTask } from './pool-task.ts';
import { QueueLimits } from './queue-limits.ts';
import { TurnOrder } from './turn-order.ts';
import type { Report } from './worker.ts';

/** Idle threads cost memory. */
const IDLE_TIMEOUT_MS = 60_000;
/** A cancelled task has this long to yield. Then its thread is terminated, which interrupts the thread's other tasks. */
const YIELD_MS = 200;

/**
 * The threads of the guards. A thread works on one task at a time. A task that yields makes room for another, see {@link TurnOrder}, and continues in
 * the same thread. Threads are started with the first task. A thread that dies is replaced, and its tasks that had yielded are restarted.
 */
export class GuardPool implements GuardWorkers {
  /** Maximum number of threads. Set it before the first task. */
  size = Math.max(2, Math.floor(availableParallelism() / 2));
  readonly #seats = new Set<PoolSeat>();
  /** In order of arrival. */
  readonly #tasks = new Map<number, PoolTask>();
  readonly #order = new TurnOrder();
  readonly #limits = new QueueLimits();
  /** The thread in which each task was started. */
  readonly #seatOf = new Map<PoolTask, PoolSeat>();
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;
  #isClosed = false;

  isFullFor(principal_id: string): boolean {
    return this.#limits.isFullFor(principal_id);
  }

  async run(task: GuardTask): Promise<unknown> {
    if (task.signal.aborted || this.#isClosed) throw new Error('given up');
    if (!task.admitted && this.isFullFor(task.principal_id)) throw new WorkersBusy();
    this.#lastId += 1;
    const own = new PoolTask(this.#lastId, task, this.#order.now, (why) => this.#giveUp(own, why));
    this.#tasks.set(own.id, own);
    this.#order.join(own);
    this.#limits.entered(own);
    this.#schedule();
    return own.settled;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#idle);
    const seats = [...this.#seats];
    this.#seats.clear();
    for (const task of this.#tasks.values()) this.#leave(task).failed(new Error('given up'));
    await Promise.all(seats.map(({ thread }) => thread.terminate()));
  }

  /** Gives each free thread the task whose turn it is. */
  #schedule(): void {
    if (this.#isClosed) return;
    for (const seat of this.#seats) this.#fill(seat);
    while (this.#seats.size < this.size && this.#isAnyQueued()) this.#fill(this.#open());
    for (const seat of this.#seats) {
      seat.thread.isWanted = seat.isDropping || (seat.running !== null && this.#next(seat) !== null);
      seat.thread.isBusy = seat.begun.size > 0;
    }
  }

  #isAnyQueued(): boolean {
    return this.#seatOf.size < this.#tasks.size;
  }

  #open(): PoolSeat {
    const seat = new PoolSeat(
      (from, report) => this.#reported(from, report),
      (dead, thrown) => this.#lost(dead, new TaskFailed('thread_ended', 'the thread ended', thrown)),
    );
    this.#seats.add(seat);
    this.#idle ??= setInterval(() => this.#closeIdle(), IDLE_TIMEOUT_MS).unref();
    return seat;
  }

  #fill(seat: PoolSeat): void {
    while (seat.running === null) {
      const task = this.#next(seat);
      if (task === null) return;
      const isNew = !seat.begun.has(task);
      try {
        seat.give(task);
      } catch (error) {
        this.#leave(task).failed(error instanceof Error ? error : new Error('not cloneable'));
        continue;
      }
      this.#order.began(task);
      if (!isNew) continue;
      this.#seatOf.set(task, seat);
      this.#limits.left(task);
      task.loading(() => this.#end(seat, new TaskFailed('not_loaded', 'the module did not load in time')));
    }
  }

  /** The next task of this thread: one that yielded there, or a new one. */
  #next(seat: PoolSeat): PoolTask | null {
    let next = this.#passedOverIn(seat);
    if (next !== null) return next;
    /** The first large task for which this thread has no room. Later large tasks are not started before it, or it would starve. */
    let without: PoolTask | null = null;
    for (const task of this.#tasks.values()) {
      const begun = this.#seatOf.get(task);
      if (task === seat.running || (begun !== undefined && begun !== seat)) continue;
      if (begun === undefined && !seat.hasRoomFor(task)) {
        if (!task.isSmall && (without === null || this.#order.precedes(task, without))) without = task;
      } else if (next === null || this.#order.precedes(task, next)) next = task;
    }
    if (next === null || without === null || this.#seatOf.has(next) || next.isSmall) return next;
    return this.#order.precedes(without, next) ? this.#yieldedIn(seat) : next;
  }

  /**
   * The task that yielded here and has waited longest, if this thread has passed over its principal for too long. Turns in other threads do not
   * count.
   */
  #passedOverIn(seat: PoolSeat): PoolTask | null {
    const lastTurns = new Map<string, number>();
    for (const { principal_id, turn } of seat.begun)
      lastTurns.set(principal_id, Math.max(turn, lastTurns.get(principal_id) ?? turn));
    const longAgo = this.#order.now - 2 * this.#order.principals * this.size;
    let next: PoolTask | null = null;
    for (const task of seat.begun) {
      const isPassedOver = (lastTurns.get(task.principal_id) ?? task.turn) < longAgo;
      if (isPassedOver && task !== seat.running && (next === null || task.turn < next.turn)) next = task;
    }
    return next;
  }

  #yieldedIn(seat: PoolSeat): PoolTask | null {
    let next: PoolTask | null = null;
    for (const task of seat.begun) if (task !== seat.running && (next === null || this.#order.precedes(task, next))) next = task;
    return next;
  }

  #reported(seat: PoolSeat, report: Report): void {
    const task = seat.running;
    if (task?.id !== report.id) return;
    if (report.kind === 'loaded') {
      task.loaded();
      return;
    }
    seat.running = null;
    this.#order.ended(task);
    if (seat.isDropping) {
      seat.isDropping = false;
      if (report.kind === 'yielded') seat.thread.order({ kind: 'drop', id: task.id });
      this.#leave(task);
    } else if (report.kind === 'yielded') task.task.suspended();
    else if (report.kind === 'done') this.#leave(task).done(report.output);
    else this.#leave(task).failed(new TaskFailed(report.reason, report.name, report.thrown));
    this.#schedule();
  }

  /** The caller has cancelled the task. */
  #giveUp(task: PoolTask, why: Error): void {
    const seat = this.#seatOf.get(task);
    if (seat?.running === task) {
      task.failed(why);
      seat.isDropping = true;
      setTimeout(() => {
        if (seat.running === task && this.#seats.has(seat)) this.#end(seat, new TaskFailed('thread_ended', 'the thread ended'));
      }, YIELD_MS);
    } else {
      seat?.thread.order({ kind: 'drop', id: task.id });
      this.#leave(task).failed(why);
    }
    this.#schedule();
  }

  #end(seat: PoolSeat, why: Error): void {
    void seat.thread.terminate();
    this.#lost(seat, why);
  }

  /** The thread has ended. Its current task fails; the others are restarted. */
  #lost(seat: PoolSeat, why: Error): void {
    this.#seats.delete(seat);
    const { running } = seat;
    if (running !== null) this.#order.ended(running);
    for (const task of seat.begun) {
      if (task === running || !task.restarts()) this.#leave(task).failed(why);
      else this.#seatOf.delete(task);
    }
    this.#schedule();
  }

  #leave(task: PoolTask): PoolTask {
    this.#tasks.delete(task.id);
    this.#seatOf.get(task)?.begun.delete(task);
    this.#seatOf.delete(task);
    this.#order.leave(task);
    this.#limits.left(task);
    return task;
  }

  #closeIdle(): void {
    const idle = [...this.#seats].filter(({ begun }) => begun.size === 0);
    for (const seat of idle.slice(0, this.#seats.size - 1)) {
      if (!seat.isIdleFor(IDLE_TIMEOUT_MS)) continue;
      this.#seats.delete(seat);
      void seat.thread.terminate();
    }
  }
}
