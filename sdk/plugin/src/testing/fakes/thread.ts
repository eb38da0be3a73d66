import { Worker } from 'node:worker_threads';

interface Reply {
  readonly id: number;
  readonly ok: boolean;
  readonly output?: unknown;
}

/**
 * The code of the thread. It is a string, so that bundlers need no configuration for it. A failure is reported without its message, as in the
 * gateway.
 */
const SERVE = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', async ({ id, moduleUrl, input }) => {
    try {
      const module = await import(moduleUrl);
      let output = await module.default(input);
      if (typeof output?.next === 'function') {
        let step;
        do step = output.next(); while (!step.done);
        output = step.value;
      }
      parentPort.postMessage({ id, ok: true, output });
    } catch {
      parentPort.postMessage({ id, ok: false });
    }
  });
`;

interface Pending {
  resolve(output: unknown): void;
  reject(error: Error): void;
}

/** One real thread for all tests of a process. It does not keep the process alive. If it dies, it is replaced. */
class TestThread {
  readonly #worker = new Worker(SERVE, { eval: true });
  readonly #pending = new Map<number, Pending>();
  #count = 0;
  alive = true;

  constructor() {
    this.#worker.unref();
    this.#worker.on('message', ({ id, ok, output }: Reply) => {
      const task = this.#take(id);
      if (ok) task?.resolve(output);
      else task?.reject(new Error('the task failed'));
    });
    this.#worker.on('error', () => this.#end());
    this.#worker.on('exit', () => this.#end());
  }

  run(moduleUrl: string, input: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const id = this.#count++;
      this.#worker.postMessage({ id, moduleUrl, input });
      this.#pending.set(id, { resolve, reject });
      this.#worker.ref();
    });
  }

  #take(id: number): Pending | undefined {
    const task = this.#pending.get(id);
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.#worker.unref();
    return task;
  }

  #end(): void {
    this.alive = false;
    for (const id of this.#pending.keys()) this.#take(id)?.reject(new Error('the thread ended'));
  }
}

let thread: TestThread | null = null;

/** Like `ctx.runInWorker` in the gateway, in a real thread, without a time limit. */
export async function runInTestThread(moduleUrl: string, input: unknown): Promise<unknown> {
  if (thread === null || !thread.alive) thread = new TestThread();
  return thread.run(moduleUrl, input);
}
