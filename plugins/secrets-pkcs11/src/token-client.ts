import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@svc/sdk';
import { SecretFailedError } from '@svc/sdk/secrets';
import type { Request, Response } from './messages.ts';
import { addRefusedPin, isRefusedPin } from './refused-pins.ts';
import { killProcess, startProcess } from './start-process.ts';

/** How long `close` waits for signatures in progress. */
const CLOSE_MS = 2_000;
/** From one start of the process to the next. Requests that repeat while the token is away would otherwise start one after another. */
const START_MS = 1_000;

interface Settings {
  /** Absolute path of the library. */
  readonly module: string;
  readonly pin: string;
  readonly timeout_ms: number;
  readonly logger: Pick<Logger, 'warn'>;
}

interface Pending extends PromiseWithResolvers<Uint8Array> {
  readonly request: Request;
}

/** Asks a process of its own to use the library of the token. It is started when it is first needed, and again after a failure. */
export class TokenClient {
  readonly #settings: Settings;
  #process: ChildProcess | null = null;
  #isStarting = false;
  /** Resolves when the next process may start: the last one has ended, so that two never use the token. */
  #free: Promise<unknown> = Promise.resolve();
  /** Without a process, they wait for its start. */
  readonly #pending = new Map<number, Pending>();
  #last = 0;
  /** Runs while answers are pending, and begins again with each. */
  #over: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** The last failure that was logged. */
  #logged: string | null = null;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** @throws {SecretFailedError} */
  async ask(asked: Omit<Request, 'id'>, signal: AbortSignal): Promise<Uint8Array> {
    signal.throwIfAborted();
    if (this.#isClosed) throw new SecretFailedError('unavailable');
    if (isRefusedPin({ ...this.#settings, token: asked.token })) throw new SecretFailedError('login_failed');
    this.#last += 1;
    const request: Request = { ...asked, id: this.#last };
    const pending: Pending = { ...Promise.withResolvers<Uint8Array>(), request };
    this.#pending.set(request.id, pending);
    if (this.#pending.size === 1) this.#watch();
    if (this.#process !== null) this.#process.send(request, () => undefined);
    else if (!this.#isStarting) void this.#startWhenFree();
    return pending.promise;
  }

  /** Waits for signatures in progress, then ends the process. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const over = setTimeout(() => this.#end(), CLOSE_MS);
    await Promise.allSettled([...this.#pending.values()].map(({ promise }) => promise));
    clearTimeout(over);
    this.#end();
  }

  async #startWhenFree(): Promise<void> {
    this.#isStarting = true;
    await this.#free;
    this.#isStarting = false;
    if (this.#pending.size === 0) return;
    this.#free = delay(START_MS, undefined, { ref: false });
    try {
      this.#start();
    } catch (error) {
      this.#failed('start', codeOf(error));
    }
  }

  #start(): void {
    const { module, pin } = this.#settings;
    const child = startProcess();
    this.#process = child;
    this.#free = Promise.all([this.#free, once(child, 'exit').catch(() => undefined)]);
    child.on('message', (response: Response) => this.#answered(child, response));
    child.on('exit', (code, signal) => this.#process === child && this.#failed('exit', signal ?? `${code}`));
    child.on('error', (error) => this.#process === child && this.#failed('start', codeOf(error)));
    child.channel?.unref();
    for (const message of [{ module, pin }, ...[...this.#pending.values()].map(({ request }) => request)])
      child.send(message, () => undefined);
    this.#watch();
  }

  #answered(child: ChildProcess, response: Response): void {
    const pending = this.#pending.get(response.id);
    if (child !== this.#process || pending === undefined) return;
    this.#pending.delete(response.id);
    this.#watch();
    if ('bytes' in response) {
      this.#logged = null;
      pending.resolve(response.bytes);
      return;
    }
    const { failure, call, code, isPinRefused, restarts } = response.refusal;
    this.#log(call, code === null ? null : `0x${code.toString(16)}`);
    if (isPinRefused) addRefusedPin({ ...this.#settings, token: pending.request.token });
    pending.reject(new SecretFailedError(failure));
    if (restarts) this.#end();
  }

  /** Waits for the next answer. The library may hang, and nothing else ends it. */
  #watch(): void {
    clearTimeout(this.#over);
    if (this.#pending.size > 0) this.#over = setTimeout(() => this.#failed('timeout', null), this.#settings.timeout_ms);
  }

  #failed(call: 'start' | 'exit' | 'timeout', code: string | null): void {
    this.#log(call, code);
    this.#end();
  }

  /** Ends the process. Calls in progress fail. */
  #end(): void {
    clearTimeout(this.#over);
    if (this.#process !== null) killProcess(this.#process);
    this.#process = null;
    for (const { reject } of this.#pending.values()) reject(new SecretFailedError('unavailable'));
    this.#pending.clear();
  }

  /** The same failure is logged once. */
  #log(call: string, code: string | null): void {
    const failure = `${call} ${code}`;
    if (failure !== this.#logged) this.#settings.logger.warn({ event: 'hsm_failed', call, code });
    this.#logged = failure;
  }
}

function codeOf(error: unknown): string | null {
  const code: unknown = Object(error).code;
  return typeof code === 'string' ? code : null;
}
