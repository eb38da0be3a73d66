import { availableParallelism } from 'node:os';
import { MessageChannel } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { GuardTask, GuardWorkers } from './guard-workers.ts';
import { WaitQueue } from './wait-queue.ts';
import type { WorkerReply } from './worker.ts';

/** A thread, or a module, that takes longer to start is broken; this does not count as a guard's time. */
const MAX_LOAD_MS = 60_000;
/** An idle thread costs memory: it ends after this. */
const IDLE_TIMEOUT_MS = 60_000;
/**
 * A thread that needs more ends instead of the process. V8 keeps this for many small objects; one allocation far beyond the limit still ends
 * the process, so guards bound what they build.
 */
const MAX_HEAP_MB = 512;

/** The guards' threads: started with the first task, replaced when they die or a task is given up. */
export class GuardPool implements GuardWorkers {
  readonly #queue = new WaitQueue(Math.max(2, Math.floor(availableParallelism() / 2)));
  #threads: Piscina | undefined;
  #isClosed = false;

  /** Most threads at once; before the first task. */
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

  /** Never given more than it has threads for: its own queue is stranded when the thread that is to take it dies (5.3.2). */
  get #piscina(): Piscina {
    this.#threads ??= startThreads(this.#queue.capacity);
    return this.#threads;
  }
}

/** A thread that dies between two tasks must not end the process. */
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
