import { errorName, SvcError } from '@svc/contracts';
import { stopping } from '@svc/kernel/admission';
import type { PausedChanges } from '@svc/runtime';
import type { Logger } from 'pino';
import type { RunStream } from './run-stream.ts';

/** How often the store is read while somebody listens. */
const POLL_MS = 1_000;
/** With many paused runs it is read less often: the wait is this many times as long as the reading took. */
const WAIT_FACTOR = 20;
const MAX_WAIT_MS = 10_000;
const MAX_STREAMS = 256;
const RETRY_AFTER_S = 10;

interface RunStreamsEnv {
  readonly watch: () => Pick<PausedChanges, 'next'>;
  readonly logger: Pick<Logger, 'warn'>;
}

/** The open streams of changes in this process. Reads the store with one timer for all of them, and only while there are any. */
export class RunStreams {
  readonly #env: RunStreamsEnv;
  readonly #streams = new Set<RunStream>();
  /** The streams, and those that begin soon. */
  #open = 0;
  /** Resolves when the paused runs have been read once: every later change is then found. Null: nobody listens. */
  #watching: Promise<void> | null = null;
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
      do {
        if (this.#ended) throw stopping();
        this.#watching ??= this.#begin();
        await this.#watching;
      } while (this.#watching === null);
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
    this.#watching = null;
    for (const stream of this.#streams) stream.end();
  }

  async #begin(): Promise<void> {
    const watched = this.#env.watch();
    try {
      await watched.next();
    } catch (error) {
      this.#watching = null;
      throw error;
    }
    this.#wait(POLL_MS, watched);
  }

  #wait(ms: number, watched: Pick<PausedChanges, 'next'>): void {
    this.#timer = setTimeout(() => void this.#look(watched), ms);
    this.#timer.unref();
  }

  async #look(watched: Pick<PausedChanges, 'next'>): Promise<void> {
    if (this.#open === 0) return this.#stop();
    const started = performance.now();
    try {
      const changes = await watched.next();
      const took = performance.now() - started;
      await Promise.all([...this.#streams].map((stream) => stream.send(changes)));
      if (!this.#ended) this.#wait(Math.min(Math.max(POLL_MS, WAIT_FACTOR * took), MAX_WAIT_MS), watched);
    } catch (error) {
      // Clients then poll, and see the error.
      this.#env.logger.warn({ event: 'run_events_failed', reason: errorName(error) });
      this.#stop();
    }
  }
}
