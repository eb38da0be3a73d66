import { type RunRow, SvcError } from '../contracts/index.ts';
import { advance, FROM_THE_START } from './advance.ts';
import { decodeRequest, encodeJson, REQUEST_CONTENT } from './content.ts';
import { LostRace, saveRunning } from './finish.ts';
import { LiveRun } from './live-run.ts';
import type { RunOutcome } from './outcome.ts';
import { firstEndpoint } from './paused-payload.ts';
import type { Track } from './resume.ts';
import type { RunsEnv } from './runs-env.ts';

const MOST_AT_ONCE = 32;
const MOST_QUEUED = 1000;

/** Works on `pending` runs, a bounded number at a time. Each is on disk before it is queued, so a restart loses none. */
export class BackgroundQueue {
  readonly #env: RunsEnv;
  readonly #track: Track;
  readonly #queue: LiveRun[] = [];
  #working = 0;
  /** Runs that are being stored, will be queued, or are queued. */
  readonly #accepted = new Set<string>();
  #closed = false;

  constructor(env: RunsEnv, track: Track) {
    this.#env = env;
    this.#track = track;
  }

  /**
   * Stores a new `pending` run and queues it.
   * @throws {SvcError} SVC-BUSY-001, SVC-STORE-001
   */
  async add(run: LiveRun): Promise<RunOutcome> {
    if (this.#closed || this.#accepted.size >= MOST_QUEUED) {
      run.bytes.release();
      throw new SvcError('SVC-BUSY-001', 'too many runs are waiting; try again later', { retry_after_s: 5 });
    }
    this.#accepted.add(run.run_id);
    try {
      await saveRunning(run, [{ name: REQUEST_CONTENT, bytes: encodeJson(run.request), expires_at: null }], this.#env);
    } catch (error) {
      this.#accepted.delete(run.run_id);
      run.bytes.release();
      throw error;
    }
    const row = structuredClone(run.row);
    this.#push(run);
    return { row, events: row.events, completion: null, stop: null, tail: null, error: null, paid: false };
  }

  /** Whether a run is on its way into the queue, or in it. */
  has(run_id: string): boolean {
    return this.#accepted.has(run_id);
  }

  /** Queues a `pending` run that another, dead process had stored. Such runs were accepted, so the bound does not refuse them. */
  async adopt(row: RunRow): Promise<void> {
    const route = this.#env.routes.get(row.route);
    const found = await this.#env.vault.read(row.run_id, REQUEST_CONTENT);
    if (route === undefined || found === null)
      throw new SvcError('SVC-RUN-003', 'the route of this run is not configured any more');
    if (this.#accepted.has(row.run_id)) return;
    const stored = { status: row.status, version: row.version, owner: row.owner };
    const { bytes: content, key } = found;
    const bytes = this.#env.bytes.reserve();
    bytes.add(content.length);
    const request = decodeRequest(content);
    this.#push(new LiveRun(row, { route, bytes, request, stored, contentKey: key, keepAnswer: true }));
  }

  /** Takes no new runs and starts none; what is queued stays `pending` on disk. */
  close(): void {
    this.#closed = true;
    this.#queue.length = 0;
  }

  #push(run: LiveRun): void {
    if (this.#closed) return;
    this.#accepted.add(run.run_id);
    this.#queue.push(run);
    this.#next();
  }

  #next(): void {
    while (this.#working < MOST_AT_ONCE) {
      const run = this.#queue.shift();
      if (run === undefined) return;
      this.#working += 1;
      this.#accepted.delete(run.run_id);
      void this.#work(run).finally(() => {
        this.#working -= 1;
        this.#next();
      });
    }
  }

  async #work(run: LiveRun): Promise<void> {
    try {
      run.move('running', 'ingress', this.#env.config_digest, firstEndpoint(run));
      await this.#track(run, async () => {
        await saveRunning(run, [], this.#env);
        return advance(run, FROM_THE_START, this.#env);
      });
    } catch (error) {
      // Another process took it, or the store is down and recovery takes it after a restart.
      const reason = error instanceof LostRace ? 'taken over' : error instanceof SvcError ? error.code : 'unknown';
      this.#env.logger.warn({ event: 'background_run_left', run_id: run.run_id, reason });
    } finally {
      run.bytes.release();
    }
  }
}
