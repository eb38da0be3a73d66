import { WorkersBusy } from './guard-workers.ts';

/** Beyond this many that wait, new work is turned away. */
const MAX_QUEUED = 1024;
/** Where the oldest has waited so long, a newcomer would wait too long. */
const MAX_AGE_MS = 5000;
/** Longest wait for a thread; of what a model was paid for already it is longer. */
const MAX_WAIT_MS = 10_000;
const MAX_ADMITTED_WAIT_MS = 30_000;

interface Waiting {
  readonly since: number;
  enter(): void;
}

/** Lets so many at once through, the others in their order. */
export class WaitQueue {
  /** At most so many are through and have not left. */
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

  /** Resolves with its turn; {@link leave} must be called then. @throws {WorkersBusy} at once where it is full, or when the wait is too long */
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

  /** Who was let through is done: the next one takes the place. */
  leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#inside -= 1;
    else next.enter();
  }
}
