import { Worker } from 'node:worker_threads';
import { NOTHING_THROWN, type Thrown } from '../observing/thrown.ts';
import type { LastReport, Order, Report } from './worker.ts';

/**
 * A thread that needs more memory is terminated, and the process survives. V8 enforces this limit for many small objects. A single allocation far
 * beyond the limit still ends the process, so guards limit the size of what they build.
 */
const MAX_HEAP_MB = 512;

/** Events of a thread. After `ended` nothing more is reported. */
export interface ThreadEvents {
  reported(report: Report): void;
  /** The thread died. `thrown`: the value that was thrown, if any. All tasks started in the thread are lost. */
  ended(thrown: Thrown): void;
}

export class GuardThread {
  readonly #worker: Worker;
  readonly #wanted = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #events: ThreadEvents;
  #isOver = false;
  #thrown = NOTHING_THROWN;

  constructor(events: ThreadEvents) {
    this.#events = events;
    this.#worker = new Worker(new URL(import.meta.resolve('#worker')), {
      workerData: this.#wanted,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    const end = (): void => this.#end();
    this.#worker
      .on('message', (report: Report | LastReport) => {
        if (this.#isOver) return;
        if (report.kind === 'ending') this.#thrown = report.thrown;
        else events.reported(report);
      })
      // A report that cannot be read. Without this handler, the task would never end.
      .on('messageerror', end)
      .on('error', end)
      .on('exit', end);
  }

  /** Whether another task waits for this thread. If so, the current task yields at the end of its turn. */
  set isWanted(wanted: boolean) {
    Atomics.store(this.#wanted, 0, wanted ? 1 : 0);
  }

  /** Whether the thread keeps the process alive. */
  set isBusy(busy: boolean) {
    if (busy) this.#worker.ref();
    else this.#worker.unref();
  }

  /** @throws if the order cannot be cloned */
  order(order: Order): void {
    this.#worker.postMessage(order);
  }

  async terminate(): Promise<void> {
    this.#isOver = true;
    await this.#worker.terminate();
  }

  #end(): void {
    if (this.#isOver) return;
    void this.terminate();
    this.#events.ended(this.#thrown);
  }
}
