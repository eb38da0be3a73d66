import cluster from 'node:cluster';
import type { Channel } from '../store-channel/messages.ts';
import type { AllParts, GatheredParts, MetricsPart } from '../telemetry/metrics/parts.ts';
import type { FromWorker, ToWorker, WorkerOrder } from './messages.ts';

/** Longer than the primary waits for a worker. */
const GATHERED_MS = 3_000;

/** A worker's channel to its primary. */
export class ToPrimary implements AllParts {
  readonly #order = Promise.withResolvers<WorkerOrder>();
  readonly #stop = Promise.withResolvers<string>();
  readonly #lost = Promise.withResolvers<never>();
  /** The settings to serve with. */
  readonly order = this.#order.promise;
  /** Resolves to the reason when the worker must end. */
  readonly stop = this.#stop.promise;
  /** Rejects when the primary is gone. */
  readonly lost = this.#lost.promise;
  readonly #waiting = new Map<number, (gathered: GatheredParts) => void>();
  readonly #reload = Promise.withResolvers<() => void>();
  #givePart: (id: number) => void = () => undefined;
  #takeFromStore: (message: unknown) => void = () => undefined;
  #last: GatheredParts | null = null;
  #reading: Promise<GatheredParts> | null = null;
  #ids = 0;

  constructor() {
    process.on('message', (message: ToWorker) => this.#take(message));
    // `disconnect` also reports a broken channel.
    cluster.worker?.on('error', () => undefined);
    // Without this listener, Node ends a worker at once when its primary is gone, instead of letting it shut down in order.
    cluster.worker?.once('disconnect', () => {
      if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true;
      this.#lost.reject(new Error('the primary process has ended'));
      this.#stop.resolve('the primary process has ended');
    });
    // Handled here, because some workers never await it.
    this.lost.catch(() => undefined);
  }

  onReload(reload: () => void): void {
    this.#reload.resolve(reload);
  }

  onPartWanted(give: (id: number) => void): void {
    this.#givePart = give;
  }

  /** The channel to the store that the primary holds. */
  get storeChannel(): Channel {
    return {
      post: (message) => this.#send({ type: 'store', message }, () => undefined),
      onMessage: (take) => {
        this.#takeFromStore = take;
      },
      onClose: (closed) => void this.lost.catch(closed),
    };
  }

  /** Resolves when the message has been sent, or can no longer be sent. */
  send(message: FromWorker): Promise<void> {
    return new Promise((resolve) => this.#send(message, resolve));
  }

  /** @throws {Error} if the message cannot be cloned */
  #send(message: FromWorker, done: () => void): void {
    if (process.connected) process.send?.(message, undefined, undefined, () => done());
    else done();
  }

  /** Concurrent readers share one response. */
  read(own: MetricsPart): Promise<GatheredParts> {
    this.#reading ??= this.#gather(own).finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #gather(part: MetricsPart): Promise<GatheredParts> {
    this.#ids += 1;
    const id = this.#ids;
    const answer = Promise.withResolvers<GatheredParts>();
    this.#waiting.set(id, answer.resolve);
    // Counters must not fall even if the primary does not answer.
    const last = this.#last ?? { parts: [part], workers: 1 };
    const timeout = setTimeout(() => answer.resolve({ ...last, answered: 1, late: [process.ppid] }), GATHERED_MS);
    await this.send({ type: 'gather', id, part });
    this.#last = await answer.promise;
    clearTimeout(timeout);
    this.#waiting.delete(id);
    return this.#last;
  }

  #take(message: ToWorker): void {
    switch (message.type) {
      case 'serve':
        this.#order.resolve(message.order);
        break;
      case 'stop':
        this.#stop.resolve(message.signal);
        break;
      case 'reload':
        void this.#reload.promise.then((reload) => reload());
        break;
      case 'give_part':
        this.#givePart(message.id);
        break;
      case 'gathered':
        this.#waiting.get(message.id)?.(message.gathered);
        break;
      case 'store':
        this.#takeFromStore(message.message);
        break;
      default:
        message satisfies never;
    }
  }
}
