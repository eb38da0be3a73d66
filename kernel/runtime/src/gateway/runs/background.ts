import { type Cost, type RequestBody, type RunRow, SvcError } from '@svc/contracts';
import {
  advance,
  FROM_THE_START,
  type LiveRun,
  LostRace,
  type RunOutcome,
  saveRunning,
  storedRun,
  type Track,
} from '@svc/kernel';
import { firstEndpoint } from '@svc/kernel/endpoints';
import { decodeBody, encodeBody, REQUEST_CONTENT } from '../../content/run-content.ts';
import type { GatewayEnv } from './gateway-env.ts';
import type { UnderWay } from './under-way.ts';

const MAX_AT_ONCE = 32;
const MAX_QUEUED = 1000;

/** A queued run. */
interface QueuedRun {
  readonly run_id: string;
  /** How many more bytes in flight the run will need. */
  readonly size: number;
  open(): Promise<LiveRun>;
}

/** Called once, when this process has finished its work on a run: the run has ended or paused, or was left to other processes. */
export type SettledListener = (cost: Cost) => void;

type Waiting = QueuedRun & { readonly done: SettledListener };

/** Works on a limited number of `pending` runs at a time. Each run is on disk before it is queued, so a restart loses none. */
export class BackgroundQueue {
  readonly #env: GatewayEnv;
  readonly #track: Track;
  readonly #under_way: UnderWay;
  readonly #queue: Waiting[] = [];
  #working = 0;
  /** Runs that are queued, or being stored for the queue. */
  readonly #accepted = new Set<string>();
  #closed = false;

  constructor(env: GatewayEnv, track: Track, under_way: UnderWay) {
    this.#env = env;
    this.#track = track;
    this.#under_way = under_way;
  }

  /** Stores a new `pending` run and queues it. `onSettled` is called only if the run was queued. @throws {SvcError} SVC-BUSY-001, SVC-STORE-001 */
  async add(run: LiveRun, onSettled: SettledListener): Promise<RunOutcome> {
    if (this.#closed || this.#accepted.size >= MAX_QUEUED) {
      run.bytes.release();
      throw new SvcError('SVC-BUSY-001', 'too many background runs are queued; try again later', { retry_after_s: 5 });
    }
    this.#accepted.add(run.run_id);
    try {
      const request = { name: REQUEST_CONTENT, bytes: encodeBody(run.request, run.protocol), expires_at: null };
      await saveRunning(run, this.#env.content.seal(run, [request]), this.#env);
    } catch (error) {
      this.#accepted.delete(run.run_id);
      run.bytes.release();
      throw error;
    }
    const row = structuredClone(run.row);
    this.#push({ run_id: run.run_id, size: 0, open: async () => run }, onSettled);
    return {
      row,
      events: row.events,
      protocol: run.protocol,
      completion: null,
      stop: null,
      tail: null,
      error: null,
      paid: false,
      cost: 'complete',
    };
  }

  /** Whether a run is being stored or is queued. */
  has(run_id: string): boolean {
    return this.#accepted.has(run_id);
  }

  /**
   * Queues a `pending` run that a dead process had stored. The run was accepted before, so the limit does not apply. Its content is loaded when its
   * turn comes and there is room.
   */
  async adopt(row: RunRow): Promise<void> {
    const { length } = (await this.#contentOf(row)).content;
    if (this.#accepted.has(row.run_id)) return;
    this.#push({ run_id: row.run_id, size: length, open: () => this.#load(row, length) });
  }

  async #load(row: RunRow, size: number): Promise<LiveRun> {
    const bytes = this.#env.bytes.reserve();
    bytes.add(size);
    try {
      const { route, content, key } = await this.#contentOf(row);
      const { protocol, body: request } = decodeBody<RequestBody>(content, this.#env.protocols);
      return storedRun(row, { route, bytes, protocol, request, contentKey: key, keepAnswer: true });
    } catch (error) {
      bytes.release();
      throw error;
    }
  }

  /** @throws {SvcError} SVC-RUN-003, SVC-RUN-005 */
  async #contentOf(row: RunRow) {
    const route = this.#env.routes.get(row.route);
    const found = await this.#env.content.read(row.run_id, REQUEST_CONTENT);
    if (route === undefined || found === null) throw new SvcError('SVC-RUN-003', 'the route of this run is no longer configured');
    return { route, content: found.bytes, key: found.key };
  }

  /** Accepts no new runs and starts none. Queued runs stay `pending` on disk. */
  close(): void {
    this.#closed = true;
    this.#queue.length = 0;
  }

  #push(run: QueuedRun, onSettled?: SettledListener): void {
    if (this.#closed) return;
    this.#accepted.add(run.run_id);
    const { promise, resolve } = Promise.withResolvers<void>();
    void this.#under_way.during(promise);
    const done = (cost: Cost): void => {
      resolve();
      onSettled?.(cost);
    };
    this.#queue.push({ ...run, done });
    this.#next();
  }

  #next(): void {
    while (this.#working < MAX_AT_ONCE) {
      const [next] = this.#queue;
      // At least one run is always in progress, however many bytes are in flight, because accepted runs must end.
      if (next === undefined || (this.#working > 0 && !this.#env.bytes.isFree(next.size))) return;
      this.#queue.shift();
      this.#working += 1;
      void this.#work(next).finally(() => {
        this.#working -= 1;
        this.#next();
      });
    }
  }

  async #work(queued: Waiting): Promise<void> {
    let run: LiveRun | null = null;
    try {
      run = await queued.open();
      if (!this.#closed) await this.#advance(run);
    } catch (error) {
      // Another process took the run, or the store is down and recovery takes the run later.
      const reason = error instanceof LostRace ? 'taken over' : error instanceof SvcError ? error.code : 'unknown';
      this.#env.logger.warn({ event: 'background_run_left', run_id: queued.run_id, reason });
    } finally {
      this.#accepted.delete(queued.run_id);
      run?.claim?.end();
      run?.bytes.release();
      queued.done(run?.cost ?? 'complete');
    }
  }

  async #advance(run: LiveRun): Promise<void> {
    run.move('running', 'ingress', firstEndpoint(run));
    const tracked = this.#track(run, async () => {
      await saveRunning(run, [], this.#env);
      return advance(run, FROM_THE_START, this.#env);
    });
    // From now on, the run is tracked as a live one.
    this.#accepted.delete(run.run_id);
    await tracked;
  }
}
