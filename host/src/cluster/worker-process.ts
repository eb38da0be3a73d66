import cluster, { type Worker } from 'node:cluster';
import type { Channel } from '../store-channel/messages.ts';
import type { MetricsPart } from '../telemetry/metrics/parts.ts';
import type { FromWorker, ToWorker, WorkerOrder } from './messages.ts';
import { closeUntakenOnDeath } from './untaken-connections.ts';

/** How a worker ended. */
export interface Ending {
  readonly pid: number | null;
  readonly code: number | null;
  readonly signal: string | null;
  /** One line, for people. */
  readonly reason: string;
  /** How long the worker served. 0 if it never did. */
  readonly served_ms: number;
}

export interface WorkerListener {
  listening(url: string): void;
  /** The worker requests the metrics of all workers. `own`: the worker's own metrics. */
  gather(id: number, own: MetricsPart): void;
  /** Another configuration is active in this worker. */
  applied(config_bytes: Uint8Array): void;
  part(id: number | null, part: MetricsPart): void;
  /** Called once, after all other calls. */
  ended(ending: Ending): void;
}

/** A worker process, as the primary sees it. */
export class WorkerProcess {
  readonly #worker: Worker;
  readonly #listener: WorkerListener;
  #refusal: string | null = null;
  #serves_since: number | null = null;
  #ended = false;
  #takeCall: (message: unknown) => void = () => undefined;

  constructor(order: WorkerOrder, listener: WorkerListener) {
    this.#listener = listener;
    this.#worker = cluster.fork();
    closeUntakenOnDeath(this.#worker);
    this.#worker.on('message', (message: FromWorker) => this.#take(message));
    this.#worker.once('exit', (code: number | null, signal: string | null) => {
      // The worker's last messages may still be unread.
      if (this.#worker.isConnected()) this.#worker.once('disconnect', () => this.#end(code, signal));
      else this.#end(code, signal);
    });
    // A worker without a pid was never started, so it will not exit.
    this.#worker.on('error', () => {
      if (this.pid === null) this.#end(null, null);
    });
    this.send({ type: 'serve', order });
  }

  get pid(): number | null {
    return this.#worker.process.pid ?? null;
  }

  get serves(): boolean {
    return this.#serves_since !== null && !this.#ended;
  }

  /** Does nothing if the worker is gone, because its exit is reported anyway. */
  send(message: ToWorker): void {
    if (this.#worker.isConnected()) this.#worker.process.send(message, undefined, undefined, () => undefined);
  }

  /** The worker's channel to the store that this process holds. */
  get storeChannel(): Channel {
    return {
      post: (message) => this.send({ type: 'store', message }),
      onMessage: (take) => {
        this.#takeCall = take;
      },
      onClose: (closed) => void this.#worker.once('disconnect', closed),
    };
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL');
  }

  #take(message: FromWorker): void {
    if (this.#ended) return;
    switch (message.type) {
      case 'listening':
        this.#serves_since = performance.now();
        this.#listener.listening(message.url);
        break;
      case 'refused':
        this.#refusal = message.reason;
        break;
      case 'applied':
        this.#listener.applied(message.config_bytes);
        break;
      case 'part':
        this.#listener.part(message.id, message.part);
        break;
      case 'gather':
        this.#listener.gather(message.id, message.part);
        break;
      case 'store':
        this.#takeCall(message.message);
        break;
      default:
        message satisfies never;
    }
  }

  #end(code: number | null, signal: string | null): void {
    if (this.#ended) return;
    const served_ms = this.#serves_since === null ? 0 : performance.now() - this.#serves_since;
    this.#ended = true;
    this.#listener.ended({ pid: this.pid, code, signal, reason: this.#refusal ?? endOf(this.pid, code, signal), served_ms });
  }
}

function endOf(pid: number | null, code: number | null, signal: string | null): string {
  if (pid === null) return 'a worker process could not be started';
  return signal === null ? `a worker exited with code ${code}` : `a worker was killed by ${signal}`;
}
