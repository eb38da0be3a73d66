import { type GuardTask, WorkersBusy } from './guard-workers.ts';
import { taskSize } from './task-size.ts';
import type { Waiting } from './turn-order.ts';

/** The longest wait for a thread. A run that may have paid for a model call waits longer. */
const MAX_WAIT_MS = 10_000;
const MAX_ADMITTED_WAIT_MS = 30_000;
/** If starting a thread or loading a module takes longer, it is considered broken. Loading does not count towards a guard's timeout. */
const MAX_LOAD_MS = 60_000;
/** A task with at most this much input, in bytes, may start in a thread beside any others. */
const SMALL_BYTES = 262_144;
/** How often a task is restarted after another task ended its thread. */
const MAX_RESTARTS = 1;

export class PoolTask implements Waiting {
  readonly id: number;
  readonly task: GuardTask;
  /** Bytes of its input. */
  readonly bytes: number;
  readonly since = performance.now();
  turn: number;
  readonly #promise = Promise.withResolvers<unknown>();
  readonly #giveUp: () => void;
  #timer: NodeJS.Timeout | undefined;
  #restarts = 0;

  /** @param giveUp is called with the reason when the task is cancelled or has waited too long */
  constructor(id: number, task: GuardTask, turn: number, giveUp: (why: Error) => void) {
    this.id = id;
    this.task = task;
    this.turn = turn;
    this.bytes = taskSize(task.input);
    this.#giveUp = () => giveUp(new Error('given up'));
    task.signal.addEventListener('abort', this.#giveUp, { once: true });
    this.#timer = setTimeout(() => giveUp(new WorkersBusy()), task.admitted ? MAX_ADMITTED_WAIT_MS : MAX_WAIT_MS);
  }

  get principal_id(): string {
    return this.task.principal_id;
  }

  get isSmall(): boolean {
    return this.bytes <= SMALL_BYTES;
  }

  get settled(): Promise<unknown> {
    return this.#promise.promise;
  }

  /** The task was given to a thread, which now loads the task's module. */
  loading(tooLong: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(tooLong, MAX_LOAD_MS);
  }

  loaded(): void {
    clearTimeout(this.#timer);
    this.task.resumed();
  }

  /** The task's thread died while it ran another task. @returns whether this task may be restarted */
  restarts(): boolean {
    this.#restarts += 1;
    return this.#restarts <= MAX_RESTARTS;
  }

  done(output: unknown): void {
    this.#end();
    this.#promise.resolve(output);
  }

  failed(why: Error): void {
    this.#end();
    this.#promise.reject(why);
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.task.signal.removeEventListener('abort', this.#giveUp);
  }
}
