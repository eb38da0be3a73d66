import type { ChildProcess } from 'node:child_process';
import type { Logger } from '@svc/sdk';
import { SecretFailedError } from '@svc/sdk/secrets';
import type { Refusal, Request, Response } from './messages.ts';
import { addRefusedPin, isRefusedPin } from './refused-pins.ts';
import { killProcess, startProcess } from './start-process.ts';

/** How long `close` waits for signatures in progress. */
const CLOSE_MS = 2_000;

interface Settings {
  /** Absolute path of the library. */
  readonly module: string;
  readonly pin: string;
  readonly timeout_ms: number;
  readonly logger: Pick<Logger, 'warn'>;
}

interface Pending extends PromiseWithResolvers<Uint8Array> {
  /** Label of the token. */
  readonly token: string;
}

/** Asks a process of its own to use the library of the token. It is started when it is first needed, and again after a failure. */
export class TokenClient {
  readonly #settings: Settings;
  #process: ChildProcess | null = null;
  readonly #pending = new Map<number, Pending>();
  #last = 0;
  #isClosed = false;
  /** The last failure that was logged. */
  #logged: string | null = null;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** @throws {SecretFailedError} */
  async ask({ token, label, sign }: Omit<Request, 'id'>, signal: AbortSignal): Promise<Uint8Array> {
    signal.throwIfAborted();
    if (this.#isClosed) throw new SecretFailedError('unavailable');
    if (isRefusedPin({ ...this.#settings, token })) throw new SecretFailedError('login_failed');
    this.#last += 1;
    const id = this.#last;
    const child = this.#process ?? this.#start();
    // The library may hang, and nothing else ends it.
    const over = setTimeout(() => this.#end(child), this.#settings.timeout_ms);
    const pending: Pending = { ...Promise.withResolvers<Uint8Array>(), token };
    this.#pending.set(id, pending);
    child.send({ id, token, label, sign } satisfies Request, () => undefined);
    return pending.promise.finally(() => clearTimeout(over));
  }

  /** Waits for signatures in progress, then ends the process. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const child = this.#process;
    if (child === null) return;
    const over = setTimeout(() => this.#end(child), CLOSE_MS);
    await Promise.allSettled([...this.#pending.values()].map(({ promise }) => promise));
    clearTimeout(over);
    this.#end(child);
  }

  #start(): ChildProcess {
    const { module, pin } = this.#settings;
    const child = startProcess();
    this.#process = child;
    child.on('message', (response: Response) => this.#answered(child, response));
    for (const event of ['exit', 'error'] as const) child.on(event, () => this.#end(child));
    child.channel?.unref();
    child.send({ module, pin }, () => undefined);
    return child;
  }

  #answered(child: ChildProcess, response: Response): void {
    const pending = this.#pending.get(response.id);
    this.#pending.delete(response.id);
    if ('bytes' in response) {
      this.#logged = null;
      pending?.resolve(response.bytes);
      return;
    }
    const { failure, isPinRefused, restarts } = response.refusal;
    this.#log(response.refusal);
    if (isPinRefused && pending !== undefined) addRefusedPin({ ...this.#settings, token: pending.token });
    pending?.reject(new SecretFailedError(failure));
    if (restarts) this.#end(child);
  }

  /** Ends the process. Calls in progress fail. */
  #end(child: ChildProcess): void {
    killProcess(child);
    if (this.#process !== child) return;
    this.#process = null;
    for (const { reject } of this.#pending.values()) reject(new SecretFailedError('unavailable'));
    this.#pending.clear();
  }

  /** The same failure is logged once. */
  #log({ call, code }: Refusal): void {
    const failure = `${call} ${code}`;
    if (failure !== this.#logged)
      this.#settings.logger.warn({ event: 'hsm_failed', call, code: code === null ? null : `0x${code.toString(16)}` });
    this.#logged = failure;
  }
}
