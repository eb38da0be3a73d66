import { type Clock, type Logger, type Store, SvcError } from '@svc/contracts';
import type { Observer } from '@svc/kernel/observing';
import { reasonOf } from '../retry/delivery-failure.ts';
import { Retries } from '../retry/retries.ts';
import { Rounds } from '../retry/rounds.ts';
import type { SignedCheckpoint, TreeKeeper } from './keeper.ts';
import { changeMeta, isOf, sizeOf } from './kept-note.ts';

/** A time-stamp authority, RFC 3161. */
export interface TimestampAuthority {
  /** Requests a token over the SHA-256 of these bytes, and checks it. @throws an error with a `code` unless there is a valid one */
  stamp(data: Uint8Array, signal: AbortSignal): Promise<Timestamp>;
}

export interface Timestamp {
  /** A TimeStampResp in DER. */
  readonly reply: Uint8Array;
  /** What the authority states. */
  readonly time: Date;
}

export interface TimestampOptions {
  readonly authority: TimestampAuthority;
  /** The time between two tokens. */
  readonly every_ms: number;
  /** How long records may be without a token before new runs are refused. Null: they are never refused. */
  readonly max_age_ms: number | null;
}

/** A checkpoint, and the token over the bytes of its note. */
export interface StampedCheckpoint extends Timestamp {
  readonly note: string;
  /** Number of records. */
  readonly size: number;
}

interface TimestampingEnv {
  readonly store: Pick<Store, 'readMeta' | 'writeMeta' | 'head'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly observer: Observer;
  readonly tree: Pick<TreeKeeper, 'origin'>;
}

/** The stored result, which every process reads. */
interface Kept {
  /** The newest token, in Base64, and its note. `at`: when the gateway got it, in milliseconds since the epoch. */
  readonly stamped: { readonly note: string; readonly reply: string; readonly time: string; readonly at: number } | null;
  /** Since when there are records without a token, in milliseconds since the epoch. Null: none were seen. */
  readonly waiting_since: number | null;
}

const KEPT = 'ledger/timestamp';
const NOTHING: Kept = { stamped: null, waiting_since: null };
/** Tokens are tried every ten seconds at most. */
const RETRY_S = 10;

/**
 * Gets time-stamp tokens for checkpoints. Nothing waits for the authority: if it fails, that is logged, and it is asked again later. Only the process
 * that signs asks. If tokens are required, every process refuses new runs while records have been without a token for too long.
 */
export class Timestamping {
  readonly #env: TimestampingEnv;
  readonly #options: TimestampOptions;
  readonly #rounds: Rounds;
  readonly #retries: Retries;
  #waiting_since: number | null = null;
  /** Monotonic milliseconds of the last look at the store. */
  #watched_at: number;
  #reported = false;

  constructor(env: TimestampingEnv, options: TimestampOptions) {
    this.#env = env;
    this.#options = options;
    this.#rounds = new Rounds({ event: 'timestamping_failed', logger: env.logger });
    this.#retries = new Retries(env.clock);
    this.#watched_at = env.clock.monotonic();
  }

  /** Whether records have been without a token for longer than is allowed, or nobody could look for as long. */
  get isOverdue(): boolean {
    const { max_age_ms } = this.#options;
    const { clock } = this.#env;
    if (max_age_ms === null) return false;
    if (clock.monotonic() - this.#watched_at > max_age_ms) return true;
    return this.#waiting_since !== null && clock.now() - this.#waiting_since > max_age_ms;
  }

  /** @throws {SvcError} SVC-STORE-001 while it is overdue */
  assertRecent(): void {
    if (!this.isOverdue) return;
    const why = 'records of the ledger have been without a time stamp for longer than ledger.timestamps.max_age';
    throw new SvcError('SVC-STORE-001', `${why}; new runs are refused until the time-stamp authority answers`, {
      retry_after_s: RETRY_S,
    });
  }

  /** Starts a round for this checkpoint if a token is due. Does not wait for it. */
  offer(checkpoint: Pick<SignedCheckpoint, 'note' | 'size'>): void {
    if (checkpoint.size > 0 && this.#retries.isDue) this.#rounds.start(() => this.#stamp(checkpoint));
  }

  /** Looks whether there are records without a token. Called periodically in every process. */
  async watch(): Promise<void> {
    const { store, clock } = this.#env;
    const records = (await store.head())?.seq ?? 0;
    const { waiting_since } = await changeMeta(store, KEPT, (before): Kept => {
      const kept = parsed(before);
      const waits = records > Math.max(0, sizeOf(this.#own(kept)?.note ?? null));
      const now = clock.now();
      // A clock that was set back must not make the wait negative.
      return { ...kept, waiting_since: waits ? Math.min(kept.waiting_since ?? now, now) : null };
    });
    this.#waiting_since = waiting_since;
    this.#watched_at = clock.monotonic();
    this.#report();
  }

  /** The newest checkpoint that has a token. Null: there is none yet. */
  async newest(): Promise<StampedCheckpoint | null> {
    const stamped = this.#own(parsed(await this.#env.store.readMeta(KEPT)));
    if (stamped === null) return null;
    const { note, reply, time } = stamped;
    return { note, size: sizeOf(note), reply: Buffer.from(reply, 'base64'), time: new Date(time) };
  }

  close(): Promise<void> {
    return this.#rounds.close();
  }

  async #stamp({ note, size }: Pick<SignedCheckpoint, 'note' | 'size'>): Promise<void> {
    const { store, clock, logger, observer } = this.#env;
    const stamped = this.#own(parsed(await store.readMeta(KEPT)));
    const age_ms = clock.now() - (stamped?.at ?? Number.NEGATIVE_INFINITY);
    // A negative age shows that the clock was set back.
    if (sizeOf(stamped?.note ?? null) >= size || (age_ms >= 0 && age_ms < this.#options.every_ms)) return;
    try {
      const stamp = await this.#rounds.request((signal) => this.#options.authority.stamp(Buffer.from(note), signal));
      this.#retries.succeeded();
      await this.#keep(note, stamp);
    } catch (error) {
      if (this.#rounds.isClosed) return;
      const reason = reasonOf(error);
      const retry = this.#retries.failed();
      observer.timestampFailed(reason);
      logger.warn({ event: 'timestamp_failed', reason, ...retry });
    }
  }

  /** Records that were written meanwhile wait from the next look on. */
  async #keep(note: string, { reply, time }: Timestamp): Promise<void> {
    const { store, clock } = this.#env;
    const stamped = { note, reply: Buffer.from(reply).toString('base64'), time: time.toISOString(), at: clock.now() };
    await changeMeta(store, KEPT, (before): Kept => {
      const kept = parsed(before);
      return sizeOf(this.#own(kept)?.note ?? null) > sizeOf(note) ? kept : { stamped, waiting_since: null };
    });
    this.#waiting_since = null;
    this.#report();
  }

  #report(): void {
    const { logger } = this.#env;
    if (this.isOverdue && !this.#reported) logger.error({ event: 'timestamp_overdue', since: isoOf(this.#waiting_since) });
    if (!this.isOverdue && this.#reported) logger.info({ event: 'timestamp_in_time' });
    this.#reported = this.isOverdue;
  }

  /** The newest token of the ledger under its present origin. One of a former origin stays until the next token, in case the origin changes back. */
  #own({ stamped }: Kept): Kept['stamped'] {
    return stamped !== null && isOf(this.#env.tree.origin, stamped.note) ? stamped : null;
  }
}

function parsed(text: string | null): Kept {
  return text === null ? NOTHING : JSON.parse(text);
}

function isoOf(time_ms: number | null): string | null {
  return time_ms === null ? null : new Date(time_ms).toISOString();
}
