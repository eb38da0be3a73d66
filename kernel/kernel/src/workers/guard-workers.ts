import { NOTHING_THROWN, type Thrown } from '../observing/thrown.ts';

export interface GuardTask {
  /** The principal of the request. Threads are shared fairly between principals. */
  readonly principal_id: string;
  /** A `file:` URL of a module. Its default export is called with `input`. */
  readonly moduleUrl: string;
  readonly input: unknown;
  /** Aborts the task, whether it is waiting or running. A running task's thread is terminated unless the task yields soon. */
  readonly signal: AbortSignal;
  /** The run was already admitted and may have paid for a model call: the task may enter a full queue, and waits longer. */
  readonly admitted: boolean;
  /** Called when a thread has loaded the task's module and starts the task, and when it continues the task after {@link suspended}. */
  resumed(): void;
  /** Called when the thread leaves the task for another one. */
  suspended(): void;
}

export interface GuardWorkers {
  /** Whether new tasks of this principal are refused. Tasks of admitted runs never are. */
  isFullFor(principal_id: string): boolean;
  /** @throws {WorkersBusy} if the queue is full or the wait is too long; {TaskFailed} or another error if the task failed */
  run(task: GuardTask): Promise<unknown>;
}

export class WorkersBusy extends Error {
  constructor() {
    super('no thread is available');
    this.name = 'WorkersBusy';
  }
}

/** A task failed in its thread. The message is the class name of the thrown error, never that error's own message. */
export class TaskFailed extends Error {
  readonly reason: 'threw' | 'thread_ended' | 'not_loaded';
  readonly thrown: Thrown;

  constructor(reason: TaskFailed['reason'], message: string, thrown = NOTHING_THROWN) {
    super(message);
    this.name = 'TaskFailed';
    this.reason = reason;
    this.thrown = thrown;
  }
}

export const NO_WORKERS: GuardWorkers = {
  isFullFor: () => false,
  run: () => Promise.reject(new Error('this process has no guard threads')),
};
