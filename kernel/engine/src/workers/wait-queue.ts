import { WorkersBusy } from './guard-workers.ts';

/** With this many waiting, new work is refused. */
const MAX_QUEUED = 1024;
/** If the oldest has waited this long, new work is refused: it would wait too long. */
const MAX_AGE_MS = 5000;
/** Longest wait for a thread. It is longer for a run that may have paid a model. */
const MAX_WAIT_MS = 10_000;
const MAX_ADMITTED_WAIT_MS = 30_000;

interface Waiting {
  readonly since: number;
  enter(): void;
}

/** A counting semaphore with a FIFO queue. */
export class WaitQueue {
  /** Maximum number of holders. */
  capacity: number;
  #inside = 0;
  readonly #waiting = new Set<Waiting>();

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  get isFull(): boolean {
    const [oldest] = this.#waiting;
    return this.#waiting.size >= MAX_QUEUED || (oldest !== undefined && performance.now() - oldest.since > MAX_AGE_MS);
  }

  /**
   * Resolves when a place is free; the caller must then call {@link leave}.
   * @throws {WorkersBusy} at once if the queue is full, or when the wait is too long
   */
  enter({ signal, admitted }: { signal: AbortSignal; admitted: boolean }): Promise<void> {
    if (signal.aborted) return Promise.reject(new Error('given up'));
    if (this.#inside < this.capacity) {
      this.#inside += 1;
      return Promise.resolve();
    }
    if (this.isFull && !admitted) return Promise.reject(new WorkersBusy());
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        this.#waiting.delete(waiting);
      };
      const waiting: Waiting = {
        since: performance.now(),
        enter: () => {
          end();
          resolve();
        },
      };
      const giveUp = (): void => {
        end();
        reject(new Error('given up'));
      };
      const tooLong = (): void => {
        end();
        reject(new WorkersBusy());
      };
      const timer = setTimeout(tooLong, admitted ? MAX_ADMITTED_WAIT_MS : MAX_WAIT_MS);
      signal.addEventListener('abort', giveUp, { once: true });
      this.#waiting.add(waiting);
    });
  }

  /** Frees a place for the next in the queue. */
  leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#inside -= 1;
    else next.enter();
  }
}
