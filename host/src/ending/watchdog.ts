import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { WATCHDOG_MS } from './limits.ts';

const BEAT_EVERY_MS = 1_000;

/** What the thread is told: how long the process may still take to end. */
export interface EndOrder {
  readonly within_ms: number;
}

/**
 * A thread that ends the process where the main thread cannot: told to end, it did not in time, or it computes without ever turning its
 * loop, so that not even a signal reaches it.
 */
export class Watchdog {
  readonly #thread: Worker;

  constructor() {
    const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    this.#thread = new Worker(fileURLToPath(import.meta.resolve('#watchdog')), {
      workerData: beats,
      resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
    });
    // Without it the process is served as before.
    this.#thread.on('error', () => undefined);
    this.#thread.unref();
    setInterval(() => Atomics.add(beats, 0, 1), BEAT_EVERY_MS).unref();
  }

  /** From now on the process has so long to end. */
  arm(within_ms = WATCHDOG_MS): void {
    const order: EndOrder = { within_ms };
    this.#thread.postMessage(order);
  }
}
