import { availableParallelism } from 'node:os';
import { MessageChannel } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { GuardTask, GuardWorkers } from './guard-workers.ts';
import { WaitQueue } from './wait-queue.ts';
import type { WorkerReply } from './worker.ts';

/** A thread or module that takes longer to start is broken. Loading does not count towards a guard's timeout. */
const MAX_LOAD_MS = 60_000;
/** Idle threads cost memory. */
const IDLE_TIMEOUT_MS = 60_000;
/**
 * A thread that needs more is terminated, instead of the process. V8 enforces this for many small objects. One allocation far beyond the
 * limit still ends the process, so guards limit what they build.
 */
const MAX_HEAP_MB = 512;

/** The thread pool of the guards. Started with the first task; a thread that dies, or whose task is aborted, is replaced. */
export class GuardPool implements GuardWorkers {
  readonly #queue = new WaitQueue(Math.max(2, Math.floor(availableParallelism() / 2)));
  #threads: Piscina | undefined;
  #isClosed = false;

  /** Maximum number of threads. Set it before the first task. */
  set size(threads: number) {
    this.#queue.capacity = threads;
  }

  get isFull(): boolean {
    return this.#queue.isFull;
  }

  async run(task: GuardTask): Promise<unknown> {
    await this.#queue.enter(task);
    try {
      return await this.#work(task);
    } finally {
      this.#queue.leave();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#threads?.destroy();
  }

  async #work({ moduleUrl, input, signal, started }: GuardTask): Promise<unknown> {
    if (signal.aborted || this.#isClosed) throw new Error('given up');
    const end = new AbortController();
    const giveUp = (): void => end.abort();
    signal.addEventListener('abort', giveUp, { once: true });
    const loading = setTimeout(giveUp, MAX_LOAD_MS);
    const { port1, port2 } = new MessageChannel();
    port1.once('message', () => {
      clearTimeout(loading);
      started();
    });
    try {
      const task = { moduleUrl, input, progress: port2 };
      const reply: WorkerReply = await this.#piscina.run(task, { signal: end.signal, transferList: [port2] });
      if (!reply.ok) throw new Error(reply.reason);
      return reply.output;
    } finally {
      clearTimeout(loading);
      signal.removeEventListener('abort', giveUp);
      port1.close();
    }
  }

  /** Never has more tasks than threads: a task in its own queue is lost if the thread that would take it dies (piscina 5.3.2). */
  get #piscina(): Piscina {
    this.#threads ??= startThreads(this.#queue.capacity);
    return this.#threads;
  }
}

/** A thread that dies while idle must not end the process. */
function startThreads(maxThreads: number): Piscina {
  return new Piscina({
    filename: import.meta.resolve('#worker'),
    minThreads: 1,
    maxThreads,
    concurrentTasksPerWorker: 1,
    idleTimeout: IDLE_TIMEOUT_MS,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  }).on('error', () => undefined);
}
