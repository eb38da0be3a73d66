import { availableParallelism } from 'node:os';
import { MessageChannel } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { WorkerError, type WorkerPool, type WorkerPoolOptions, type WorkerPools } from '../contracts/index.ts';
import type { WorkerProgress, WorkerReply } from './worker.ts';

/** Tasks that may wait in one pool; beyond that a guard fails closed at once rather than late. */
const MOST_QUEUED = 1024;
/** A module that takes longer to load in a thread is broken; loading does not count against a task's own limit. */
const LOAD_LIMIT_MS = 60_000;
/** An idle thread costs memory: it ends after this. */
const IDLE_TIMEOUT_MS = 60_000;

/** Worker pools by name. Threads start with the first task. */
export class PiscinaPools implements WorkerPools {
  readonly #pools = new Map<string, PiscinaPool>();

  pool(name: string, options: WorkerPoolOptions = {}): WorkerPool {
    let pool = this.#pools.get(name);
    if (pool === undefined) {
      pool = new PiscinaPool(options.threads ?? Math.max(1, Math.floor(availableParallelism() / 2)), options.warm_up ?? []);
      this.#pools.set(name, pool);
    }
    return pool;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.close()));
    this.#pools.clear();
  }
}

class PiscinaPool implements WorkerPool {
  readonly #threads: number;
  readonly #warmUp: readonly string[];
  #started: Piscina | undefined;

  constructor(threads: number, warmUp: readonly string[]) {
    this.#threads = threads;
    this.#warmUp = warmUp;
  }

  /** Started with the first task. One thread at least: piscina 5.3.2 strands its queue when an aborted task took the last one. */
  get #piscina(): Piscina {
    this.#started ??= startPool({
      filename: import.meta.resolve('#worker'),
      minThreads: 1,
      maxThreads: this.#threads,
      maxQueue: MOST_QUEUED,
      concurrentTasksPerWorker: 1,
      idleTimeout: IDLE_TIMEOUT_MS,
      workerData: { warm_up: this.#warmUp },
    });
    return this.#started;
  }

  async run(moduleUrl: string, input: unknown, options: { timeout_ms: number; signal?: AbortSignal }): Promise<unknown> {
    const limit = new AbortController();
    const signal = options.signal === undefined ? limit.signal : AbortSignal.any([limit.signal, options.signal]);
    const { port1, port2 } = new MessageChannel();
    let timer: NodeJS.Timeout | undefined;
    port1.on('message', (step: WorkerProgress) => {
      clearTimeout(timer);
      timer = setTimeout(() => limit.abort(), step === 'taken' ? LOAD_LIMIT_MS : options.timeout_ms);
    });
    try {
      const reply: WorkerReply = await this.#piscina.run(
        { moduleUrl, input, progress: port2 },
        { signal, transferList: [port2] },
      );
      if (!reply.ok) throw new WorkerError('failed', { cause: new Error(reply.reason) });
      return reply.output;
    } catch (error) {
      if (error instanceof WorkerError) throw error;
      if (limit.signal.aborted) throw new WorkerError('timeout');
      if (options.signal?.aborted) throw new WorkerError('aborted');
      throw new WorkerError(isQueueFull(error) ? 'full' : 'failed', { cause: error });
    } finally {
      clearTimeout(timer);
      port1.close();
    }
  }

  async close(): Promise<void> {
    await this.#started?.destroy();
  }
}

/** A thread that dies without a task (a module to warm up that throws) must not end the process: tasks fail, and guards fail closed. */
function startPool(options: ConstructorParameters<typeof Piscina>[0]): Piscina {
  return new Piscina(options).on('error', () => undefined);
}

function isQueueFull(error: unknown): boolean {
  return error instanceof Error && error.message === 'Task queue is at limit';
}
