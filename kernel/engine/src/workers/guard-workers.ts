/** Work of a guard for a thread. */
export interface GuardTask {
  /** A `file:` URL: its default export is run on `input`. */
  readonly moduleUrl: string;
  readonly input: unknown;
  /** Ends the task, waiting or at work; a thread at work is ended with it. */
  readonly signal: AbortSignal;
  /** Its run was taken on already, a model may be paid: it is let into a full queue, and waits longer. */
  readonly admitted: boolean;
  /** Called when a thread has the task and its module. */
  started(): void;
}

/** The threads in which guards do their heavy work. */
export interface GuardWorkers {
  /** Whether work that is not admitted yet is turned away. */
  readonly isFull: boolean;
  /** @throws {WorkersBusy} where the queue is full or the wait too long; another error where the task failed */
  run(task: GuardTask): Promise<unknown>;
}

export class WorkersBusy extends Error {
  constructor() {
    super('no thread is free for this work');
    this.name = 'WorkersBusy';
  }
}

/** Where no guard is asked. */
export const NO_WORKERS: GuardWorkers = {
  isFull: false,
  run: () => Promise.reject(new Error('no guard works here')),
};
