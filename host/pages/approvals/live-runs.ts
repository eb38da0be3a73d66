import { ApiError, problemText } from '../shared/api-error.ts';
import type { StoredRun } from '../shared/api-types.ts';
import type { Session } from '../shared/session.ts';
import { waitingRuns } from './waiting-runs.ts';

/** How often the list is read without a stream of events. */
const POLL_MS = 2000;
/** How often the list is read despite a stream, because a connection may die unnoticed. */
const RESYNC_MS = 60_000;
/** How long to wait before opening a stream again after a refusal. */
const RETRY_MS = 30_000;
/** If a proxy holds back the stream for this long, the list is read without it. */
const OPENING_MS = 1000;

export interface LiveListener {
  /** The paused runs, whenever they may have changed. `live`: changes arrive as they happen. */
  changed(runs: ReadonlyMap<string, StoredRun>, live: boolean): void;
  /** A run that is no longer paused. */
  ended(run: StoredRun): void;
  failed(problem: string): void;
}

/** Keeps the paused runs current: by the gateway's events, and by polling while there is no stream. A hidden page does neither. */
export class LiveRuns {
  readonly #session: Session;
  readonly #listener: LiveListener;
  #runs = new Map<string, StoredRun>();
  /** Changes that arrived while the list was read, which may be newer than the list; null: it is not being read. */
  #meanwhile: StoredRun[] | null = null;
  #stream: AbortController | null = null;
  #isLive = false;
  #retry_at = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #notice: ReturnType<typeof setTimeout> | undefined;

  constructor(session: Session, listener: LiveListener) {
    this.#session = session;
    this.#listener = listener;
    document.addEventListener('visibilitychange', () => void this.#poll());
  }

  /** Reads the list now. */
  async refresh(): Promise<void> {
    if (this.#meanwhile !== null) return;
    clearTimeout(this.#timer);
    this.#meanwhile = [];
    try {
      await this.#open();
      this.#runs = new Map((await waitingRuns(this.#session)).map((run) => [run.run_id, run]));
      for (const run of this.#meanwhile) this.#apply(run);
      this.#listener.changed(this.#runs, this.#isLive);
    } catch (error) {
      this.#listener.failed(problemText(error));
    }
    this.#meanwhile = null;
    this.#wait();
  }

  /** @param run as the visitor's decision left it: a list that is being read may be older */
  decided(run?: StoredRun): void {
    if (run !== undefined) this.#take(run);
    void this.refresh();
  }

  async #poll(): Promise<void> {
    if (document.visibilityState === 'visible') return this.refresh();
    clearTimeout(this.#timer);
    this.#stream?.abort();
    this.#stream = null;
    this.#isLive = false;
  }

  #wait(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#poll(), this.#isLive ? RESYNC_MS : POLL_MS);
  }

  /** Resolves when the stream has begun, was refused, or takes too long. */
  async #open(): Promise<void> {
    if (this.#stream !== null || Date.now() < this.#retry_at) return;
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, OPENING_MS);
    void this.#receive(late.resolve);
    await late.promise;
    clearTimeout(timer);
  }

  async #receive(opened: () => void): Promise<void> {
    const stream = new AbortController();
    this.#stream = stream;
    try {
      const changes = await this.#session.api.runChanges(stream.signal);
      // A list that was read before the stream opened may lack changes.
      const isLate = this.#meanwhile === null;
      this.#isLive = true;
      opened();
      if (isLate) void this.refresh();
      for await (const { run } of changes) this.#take(run);
    } catch (error) {
      if (error instanceof ApiError && error.status !== 0) this.#retry_at = Date.now() + RETRY_MS;
    }
    opened();
    if (this.#stream !== stream) return;
    this.#stream = null;
    this.#isLive = false;
    if (this.#meanwhile === null) this.#wait();
  }

  #take(run: StoredRun): void {
    this.#meanwhile?.push(run);
    this.#apply(run);
    // Changes that arrive together are shown together.
    this.#notice ??= setTimeout(() => {
      this.#notice = undefined;
      this.#listener.changed(this.#runs, this.#isLive);
    });
  }

  #apply(run: StoredRun): void {
    if (run.status === 'paused') this.#runs.set(run.run_id, run);
    else if (this.#runs.delete(run.run_id)) this.#listener.ended(run);
  }
}
