import { type Counters, type Store, StoreError } from '@svc/contracts';
import { crossed } from './errors.ts';
import type { Asked, Asks, Channel, StoreAnswer, StoreCall } from './messages.ts';

const notCopied = async (): Promise<never> => {
  throw new Error('a worker cannot copy the store: open the runs-db directly');
};

interface Waiting {
  readonly asked: Asked;
  readonly promise: Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The store that `serveStore` serves at the other end of a channel. When that end is gone, every call is refused. */
export class ChannelStore implements Store {
  /** Other processes share the store, so leases show which of them are alive. */
  readonly exclusive = false;
  readonly #channel: Channel;
  readonly #waiting = new Map<number, Waiting>();
  #ids = 0;
  #refused: StoreError | null = null;

  constructor(channel: Channel) {
    this.#channel = channel;
    channel.onMessage((message) => this.#take(message as StoreAnswer));
    channel.onClose(() => {
      this.#refused = new StoreError('CLOSED', 'the process that holds the runs-db has ended: start the server again');
      for (const { reject } of this.#waiting.values()) reject(this.#refused);
      this.#waiting.clear();
    });
  }

  /** The other end has opened the store. */
  async open(): Promise<void> {
    if (this.#refused !== null) throw this.#refused;
  }

  /** Waits for calls in flight. The store stays open at the other end. */
  async close(): Promise<void> {
    this.#refused ??= new StoreError('CLOSED', 'the runs-db is not open');
    const inFlight = [...this.#waiting.values()].filter(({ asked }) => asked !== 'whenChecked');
    await Promise.allSettled(inFlight.map(({ promise }) => promise));
  }

  readonly commit: Store['commit'] = async (changes, records) =>
    this.#ask('commit', [changes.map(({ put_content, ...change }) => [JSON.stringify(change), put_content] as const), records]);
  readonly run = this.#asks('run');
  readonly runOfKey = this.#asks('runOfKey');
  readonly statuses = this.#asks('statuses');
  readonly runs = this.#asks('runs');
  readonly countRuns = this.#asks('countRuns');
  readonly content = this.#asks('content');
  readonly eraseContent = this.#asks('eraseContent');
  readonly runsWithContent = this.#asks('runsWithContent');
  readonly expireContent = this.#asks('expireContent');
  readonly head = this.#asks('head');
  readonly sessionHead = this.#asks('sessionHead');
  readonly records = this.#asks('records');
  readonly recordsBySeq = this.#asks('recordsBySeq');
  readonly counters: Counters = { reserve: this.#asks('reserve'), read: this.#asks('readCounters') };
  readonly acquireLease = this.#asks('acquireLease');
  readonly releaseLease = this.#asks('releaseLease');
  readonly leaseHolder = this.#asks('leaseHolder');
  readonly forgetLeases = this.#asks('forgetLeases');
  readonly now = this.#asks('now');
  readonly cursor = this.#asks('cursor');
  readonly moveCursor = this.#asks('moveCursor');
  readonly readMeta = this.#asks('readMeta');
  readonly writeMeta = this.#asks('writeMeta');

  /** Never rejects. Without the other end, nothing more becomes known to be durable. */
  whenChecked(): Promise<void> {
    return new Promise((resolve) => void this.#ask('whenChecked', []).then(resolve, () => undefined));
  }

  dump(): AsyncIterable<never> {
    return { [Symbol.asyncIterator]: () => ({ next: notCopied }) };
  }

  load(): Promise<never> {
    return notCopied();
  }

  #asks<A extends Asked>(asked: A): (...args: Parameters<Asks[A]>) => ReturnType<Asks[A]> {
    return (...args) => this.#ask(asked, args);
  }

  #ask<A extends Asked>(asked: A, args: Parameters<Asks[A]>): ReturnType<Asks[A]> {
    if (this.#refused !== null) return Promise.reject(this.#refused) as ReturnType<Asks[A]>;
    this.#ids += 1;
    const call: StoreCall<A> = { id: this.#ids, asked, args };
    const answer = Promise.withResolvers<unknown>();
    this.#waiting.set(call.id, { asked, ...answer });
    try {
      this.#channel.post(call);
    } catch (error) {
      // A value cannot be cloned.
      this.#waiting.delete(call.id);
      answer.reject(error);
    }
    return answer.promise as ReturnType<Asks[A]>;
  }

  #take(answer: StoreAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if ('error' in answer) waiting?.reject(crossed(answer.error));
    else waiting?.resolve(answer.value);
  }
}
