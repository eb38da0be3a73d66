import { randomUUID } from 'node:crypto';
import type { Clock, Logger, Store } from '@svc/contracts';
import { type LeaderLease, PeriodicTask } from '@svc/runtime';
import { backoffMs, reasonOf, retryAfterMs } from '@svc/runtime/records';
import type { NoticeTarget } from '../config/index.ts';
import { NotAccepted, type Sender } from './delivery.ts';
import { Groups } from './groups.ts';
import { countOf, groupOf, type Occurrence } from './notice.ts';
import { EMPTY, type Outbox, type Sending, withGroups, withNext } from './outbox.ts';
import { isQuiet } from './quiet-hours.ts';
import type { StoreTrouble } from './store-trouble.ts';

const EVERY_MS = 1_000;
const ATTEMPT_MS = 10_000;
const RENEW_MS = 5_000;
/** Longer than an attempt and the time to the next renewal, so that no other process sends meanwhile. */
const LEASE_MS = 20_000;
/** A message that was not accepted for this long is dropped. */
const KEEP_MS = 86_400_000;

/** `refused`: some recipients refused it for good. `failed`: it will be retried. */
export type NoticeOutcome = 'sent' | 'failed' | 'refused' | 'dropped';

export interface QueueDeps {
  readonly store: Pick<Store, 'readMeta' | 'writeMeta'>;
  readonly leader: LeaderLease;
  readonly sender: Sender;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly trouble: StoreTrouble;
  readonly group_ms: number;
  readonly count: (target: string, outcome: NoticeOutcome) => void;
}

/**
 * Delivers what happens to one target. Each process adds what it sees to an outbox in the store. The process with the lease sends it, until it is
 * accepted.
 */
export class TargetQueue {
  readonly #target: NoticeTarget;
  readonly #deps: QueueDeps;
  /** Seen by this process, and not stored yet. */
  readonly #new = new Groups();
  readonly #storing: PeriodicTask;
  readonly #sending: PeriodicTask;
  readonly #closing = new AbortController();
  #failures = 0;
  /** Time of the next attempt, in monotonic milliseconds. */
  #waitsUntil = Number.NEGATIVE_INFINITY;
  /** When the lease must be renewed, in monotonic milliseconds. */
  #renewsAt = Number.NEGATIVE_INFINITY;
  /** The message that was accepted last. It is not sent again if the store could not note that. */
  #accepted: string | null = null;

  constructor(target: NoticeTarget, deps: QueueDeps) {
    this.#target = target;
    this.#deps = deps;
    const options = { every_ms: EVERY_MS, failed: (error: unknown) => deps.trouble.failed(error) };
    this.#storing = new PeriodicTask(() => this.#store(), options);
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

  /** Stores what is not sent. @param abort_ms when an attempt in progress is aborted */
  async close(abort_ms: number): Promise<void> {
    const timer = setTimeout(() => this.#closing.abort(), abort_ms);
    await Promise.all([this.#storing.stop(), this.#sending.stop()]);
    clearTimeout(timer);
    await this.#store();
    await this.#deps.sender.close();
  }

  async #store(): Promise<void> {
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
    const { clock, group_ms, trouble } = this.#deps;
    const { quiet_hours } = this.#target;
    const now = clock.now();
    if (quiet_hours !== undefined && isQuiet(quiet_hours, now)) return;
    const next = { id: randomUUID(), now, group_ms };
    const { outbox } = await this.#read();
    trouble.over();
    if (withNext(outbox, next).sending === null || !(await this.#leads()) || clock.monotonic() < this.#waitsUntil) return;
    const { sending } = await this.#change((current) => withNext(current, next));
    if (sending !== null) await this.#deliver(sending);
  }

  /** Whether this process sends. It also keeps the lease between two attempts. */
  async #leads(): Promise<boolean> {
    const { clock, leader } = this.#deps;
    const now = clock.monotonic();
    if (now < this.#renewsAt) return true;
    const leads = await leader.take(`notices/${this.#target.name}`, LEASE_MS);
    this.#renewsAt = leads ? now + RENEW_MS : Number.NEGATIVE_INFINITY;
    return leads;
  }

  async #deliver(sending: Sending): Promise<void> {
    if (sending.id === this.#accepted) return this.#end(sending, null);
    if (sending.at + KEEP_MS < this.#deps.clock.now()) {
      await this.#end(sending, null);
      this.#deps.logger.error({ event: 'notice_dropped', ...this.#facts(sending) });
      return this.#count('dropped');
    }
    const signal = AbortSignal.any([AbortSignal.timeout(ATTEMPT_MS), this.#closing.signal]);
    const outcome = await this.#deps.sender.send(sending, sending.to, signal).catch((error: unknown) => ({ error }));
    if ('error' in outcome) return this.#failed(outcome.error);
    const { left, refused } = outcome;
    if (refused > 0) {
      this.#deps.logger.error({ event: 'notice_refused', ...this.#facts(sending), recipients: refused });
      this.#count('refused');
    }
    if (left.length > 0) {
      this.#failed(new NotAccepted('SMTP_LATER'));
      return this.#end(sending, { ...sending, to: left });
    }
    this.#accepted = sending.id;
    this.#failures = 0;
    this.#deps.logger.info({ event: 'notice_sent', ...this.#facts(sending) });
    this.#count('sent');
    await this.#end(sending, null);
  }

  /** @param left what is still to be sent of it */
  async #end({ id }: Sending, left: Outbox['sending']): Promise<void> {
    await this.#change((outbox) => (outbox.sending?.id === id ? { ...outbox, sending: left } : outbox));
  }

  #failed(error: unknown): void {
    this.#failures += 1;
    const wait_ms = Math.max(Math.round(backoffMs(this.#failures)), retryAfterMs(error));
    this.#waitsUntil = this.#deps.clock.monotonic() + wait_ms;
    const { name: target } = this.#target;
    this.#deps.logger.warn({ event: 'notice_failed', target, reason: reasonOf(error), failures: this.#failures, wait_ms });
    this.#count('failed');
  }

  #facts(sending: Sending): { readonly target: string; readonly occurrences: number } {
    return { target: this.#target.name, occurrences: countOf(sending) };
  }

  #count(outcome: NoticeOutcome): void {
    this.#deps.count(this.#target.name, outcome);
  }

  async #read(): Promise<{ readonly text: string | null; readonly outbox: Outbox }> {
    const text = await this.#deps.store.readMeta(this.#key);
    return { text, outbox: text === null ? EMPTY : JSON.parse(text) };
  }

  /** Changes the stored outbox, also if other processes change it at the same time. */
  async #change(change: (outbox: Outbox) => Outbox): Promise<Outbox> {
    for (;;) {
      const { text, outbox } = await this.#read();
      const changed = change(outbox);
      if (changed === outbox || (await this.#deps.store.writeMeta(this.#key, text, JSON.stringify(changed)))) return changed;
    }
  }

  get #key(): string {
    return `notices/${this.#target.name}`;
  }
}
