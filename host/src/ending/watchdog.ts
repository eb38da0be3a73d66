import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

const BEAT_EVERY_MS = 1_000;

/** The order to the thread: how long the process has to end. */
export interface EndOrder {
  readonly within_ms: number;
}

/**
 * A thread that ends the process if the main thread cannot: it did not end in time, or it computes without returning to its event loop, so that no
 * signal is handled either.
 */
export class Watchdog {
  readonly #thread: Worker;

  constructor() {
    const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    this.#thread = new Worker(fileURLToPath(import.meta.resolve('#watchdog')), {
      workerData: beats,
      resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
    });
    // The server still works without the watchdog.
    this.#thread.on('error', () => undefined);
    this.#thread.unref();
    setInterval(() => Atomics.add(beats, 0, 1), BEAT_EVERY_MS).unref();
  }

  /** From now on the process has this long to end. */
  arm(within_ms: number): void {
    const order: EndOrder = { within_ms };
    this.#thread.postMessage(order);
  }
}
