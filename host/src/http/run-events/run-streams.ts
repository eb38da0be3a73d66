import { errorName, SvcError } from '@svc/contracts';
import { stopping } from '@svc/kernel/admission';
import type { PausedChanges } from '@svc/runtime';
import type { Logger } from 'pino';
import type { RunStream } from './run-stream.ts';

/** How often the store is read while a stream is open. */
const POLL_MS = 1_000;
/** With many paused runs, the store is read less often: the pause is this many times the duration of the last read. */
const WAIT_FACTOR = 20;
const MAX_WAIT_MS = 10_000;
const MAX_STREAMS = 256;
const RETRY_AFTER_S = 10;

interface RunStreamsEnv {
  readonly watch: () => Pick<PausedChanges, 'next'>;
  readonly logger: Pick<Logger, 'warn'>;
}

/** The open streams of changes in this process. One timer reads the store for all streams, and runs only while a stream is open. */
export class RunStreams {
  readonly #env: RunStreamsEnv;
  readonly #streams = new Set<RunStream>();
  /** The number of streams, including those about to begin. */
  #open = 0;
  /** Null: no stream is open. */
  #watched: Pick<PausedChanges, 'next'> | null = null;
  /** The latest reading of the store, in progress or done. Never rejects. */
  #reading: Promise<void> = Promise.resolve();
  /** A reading that has not begun. */
  #next: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(env: RunStreamsEnv) {
    this.#env = env;
  }

  /**
   * Begins the response, and adds every later change to it. Resolves when the connection has closed.
   * @throws {SvcError} SVC-LIMIT-003, SVC-BUSY-002, SVC-STORE-001
   */
  async serve(stream: RunStream): Promise<void> {
    if (this.#open >= MAX_STREAMS)
      throw new SvcError('SVC-LIMIT-003', `${MAX_STREAMS} clients of this process receive events; poll GET /v1/audit instead`, {
        retry_after_s: RETRY_AFTER_S,
      });
    this.#open += 1;
    try {
      if (this.#ended) throw stopping();
      this.#watched ??= this.#env.watch();
      // Ensures that the caller's next reads are at least as new as the watched state.
      await this.#read();
      if (this.#ended) throw stopping();
      if (this.#watched === null) throw new SvcError('SVC-STORE-001', 'the paused runs cannot be read now; try again later');
      this.#streams.add(stream);
      stream.begin();
      await stream.closed;
    } finally {
      this.#open -= 1;
      this.#streams.delete(stream);
    }
  }

  /** Ends all streams. Later ones are refused. */
  end(): void {
    this.#ended = true;
    this.#stop();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#watched = null;
    for (const stream of this.#streams) stream.end();
  }

  /** Reads the store now, or after the reading in progress, and sends what has changed. */
  #read(): Promise<void> {
    this.#next ??= this.#reading.then(() => {
      this.#next = null;
      return this.#readOnce();
    });
    this.#reading = this.#next;
    return this.#next;
  }

  async #readOnce(): Promise<void> {
    clearTimeout(this.#timer);
    const watched = this.#watched;
    if (watched === null) return;
    if (this.#open === 0) return this.#stop();
    const started = performance.now();
    try {
      const changes = await watched.next();
      const took = performance.now() - started;
      await Promise.all([...this.#streams].map((stream) => stream.send(changes)));
      this.#wait(Math.min(Math.max(POLL_MS, WAIT_FACTOR * took), MAX_WAIT_MS));
    } catch (error) {
      // Clients then poll, and see the error.
      this.#env.logger.warn({ event: 'run_events_failed', reason: errorName(error) });
      this.#stop();
    }
  }

  #wait(ms: number): void {
    if (this.#watched === null) return;
    this.#timer = setTimeout(() => void this.#read(), ms);
    this.#timer.unref();
  }
}
