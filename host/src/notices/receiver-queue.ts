import { randomUUID } from 'node:crypto';
import type { Clock, Logger, Store } from '@svc/contracts';
import { type LeaderLease, PeriodicTask } from '@svc/runtime';
import { backoffMs, reasonOf, retryAfterMs } from '@svc/runtime/records';
import type { NoticeTarget } from '../config/index.ts';
import { Groups } from './groups.ts';
import { countOf, groupOf, type Notice, type Occurrence } from './notice.ts';
import { EMPTY, type Outbox, withGroups, withNext } from './outbox.ts';
import { quietHours } from './quiet-hours.ts';
import { outboxKey } from './receiver-keys.ts';
import type { Receiver } from './receivers.ts';
import { StoreTrouble } from './store-trouble.ts';

const EVERY_MS = 1_000;
const ATTEMPT_MS = 10_000;
const RENEW_MS = 5_000;
/** Longer than an attempt plus the time to the next renewal, so that no other process sends in between. */
const LEASE_MS = 20_000;
/** A message that was not accepted for this long is dropped. */
const KEEP_MS = 86_400_000;

/** `failed`: delivery will be retried. */
export type NoticeOutcome = 'sent' | 'failed' | 'dropped';

export interface QueueDeps {
  readonly store: Pick<Store, 'readMeta' | 'writeMeta'>;
  readonly leader: LeaderLease;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly group_ms: number;
  readonly count: (target: string, outcome: NoticeOutcome) => void;
}

/**
 * Delivers occurrences to one receiver. Each process adds its occurrences to an outbox in the store. The process that holds the lease sends them
 * until they are accepted.
 */
export class ReceiverQueue {
  readonly #target: NoticeTarget;
  readonly #receiver: Receiver;
  readonly #key: string;
  readonly #deps: QueueDeps;
  readonly #isQuiet: (now: number) => boolean;
  readonly #trouble: StoreTrouble;
  /** Occurrences in this process that are not stored yet. */
  readonly #new = new Groups();
  /** The newest storing. Each waits for the previous one, whose occurrences return to `#new` if it fails. */
  #stored: Promise<void> = Promise.resolve();
  readonly #storing: PeriodicTask;
  readonly #sending: PeriodicTask;
  readonly #closing = new AbortController();
  #failures = 0;
  /** Time of the next attempt, in monotonic milliseconds. */
  #waitsUntil = Number.NEGATIVE_INFINITY;
  /** When the lease must be renewed, in monotonic milliseconds. */
  #renewsAt = Number.NEGATIVE_INFINITY;
  /** The message that was accepted last. It is not sent again even if the store could not record the delivery. */
  #accepted: string | null = null;

  constructor(target: NoticeTarget, receiver: Receiver, deps: QueueDeps) {
    this.#target = target;
    this.#receiver = receiver;
    this.#key = outboxKey(receiver.key);
    this.#deps = deps;
    this.#isQuiet = target.quiet_hours === undefined ? () => false : quietHours(target.quiet_hours);
    this.#trouble = new StoreTrouble(deps.logger, receiver.named);
    const options = { every_ms: EVERY_MS, failed: (error: unknown) => this.#trouble.failed(error) };
    this.#storing = new PeriodicTask(() => this.store(), options);
    this.#sending = new PeriodicTask(() => this.#send(), options);
  }

  start(): void {
    this.#storing.start();
    this.#sending.start();
  }

  add(occurrence: Occurrence): void {
    const { on, routes } = this.#target;
    const { event, route } = occurrence;
    if (!on.includes(event) || (route !== null && routes?.includes(route) === false)) return;
    this.#new.add(groupOf(occurrence, this.#deps.clock.now()));
  }

  /** Stores unsent occurrences. @param abort_ms when to abort an attempt in progress */
  async close(abort_ms: number): Promise<void> {
    const timer = setTimeout(() => this.#closing.abort(), abort_ms);
    await Promise.all([this.#storing.stop(), this.#sending.stop()]);
    clearTimeout(timer);
    try {
      await this.store();
    } finally {
      await this.#receiver.sender.close();
    }
  }

  /** Stores everything that was added. */
  store(): Promise<void> {
    const store = (): Promise<void> => this.#storeNew();
    this.#stored = this.#stored.then(store, store);
    return this.#stored;
  }

  async #storeNew(): Promise<void> {
    const added = this.#new.take();
    if (added.length === 0) return;
    try {
      await this.#change((outbox) => withGroups(outbox, added));
    } catch (error) {
      for (const group of added) this.#new.add(group);
      throw error;
    }
  }

  async #send(): Promise<void> {
    const { clock, group_ms } = this.#deps;
    const now = clock.now();
    if (this.#isQuiet(now)) return;
    const next = { id: randomUUID(), now, group_ms };
    const { outbox } = await this.#read();
    if (withNext(outbox, next).sending === null || !(await this.#leads()) || clock.monotonic() < this.#waitsUntil) return;
    const { sending } = await this.#change((current) => withNext(current, next));
    if (sending !== null) await this.#deliver(sending);
  }

  /** Whether this process sends. It also keeps the lease between two attempts. */
  async #leads(): Promise<boolean> {
    const { clock, leader } = this.#deps;
    const now = clock.monotonic();
    if (now < this.#renewsAt) return true;
    const leads = await leader.take(this.#key, LEASE_MS);
    this.#renewsAt = leads ? now + RENEW_MS : Number.NEGATIVE_INFINITY;
    return leads;
  }

  async #deliver(notice: Notice): Promise<void> {
    const { clock, logger } = this.#deps;
    const { named, sender } = this.#receiver;
    if (notice.id === this.#accepted) return this.#end(notice);
    const occurrences = countOf(notice);
    if (notice.at + KEEP_MS < clock.now()) {
      await this.#end(notice);
      logger.error({ event: 'notice_dropped', ...named, occurrences });
      return this.#count('dropped');
    }
    try {
      await sender.send(notice, AbortSignal.any([AbortSignal.timeout(ATTEMPT_MS), this.#closing.signal]));
    } catch (error) {
      return this.#failed(error);
    }
    this.#accepted = notice.id;
    this.#failures = 0;
    logger.info({ event: 'notice_sent', ...named, occurrences });
    this.#count('sent');
    await this.#end(notice);
  }

  async #end({ id }: Notice): Promise<void> {
    await this.#change((outbox) => (outbox.sending?.id === id ? { ...outbox, sending: null } : outbox));
  }

  #failed(error: unknown): void {
    this.#failures += 1;
    const wait_ms = Math.max(Math.round(backoffMs(this.#failures)), retryAfterMs(error));
    this.#waitsUntil = this.#deps.clock.monotonic() + wait_ms;
    const { named } = this.#receiver;
    this.#deps.logger.warn({ event: 'notice_failed', ...named, reason: reasonOf(error), failures: this.#failures, wait_ms });
    this.#count('failed');
  }

  #count(outcome: NoticeOutcome): void {
    this.#deps.count(this.#target.name, outcome);
  }

  async #read(): Promise<{ readonly text: string | null; readonly outbox: Outbox }> {
    const text = await this.#deps.store.readMeta(this.#key);
    return { text, outbox: text === null ? EMPTY : JSON.parse(text) };
  }

  /** Changes the stored outbox, even if other processes change it at the same time. */
  async #change(change: (outbox: Outbox) => Outbox): Promise<Outbox> {
    for (;;) {
      const { text, outbox } = await this.#read();
      const changed = change(outbox);
      if (changed === outbox) return outbox;
      const isWritten = await this.#deps.store.writeMeta(this.#key, text, JSON.stringify(changed));
      this.#trouble.over();
      if (isWritten) return changed;
    }
  }
}
