import { turnOfStream } from '@svc/contracts';
import type { Dispatcher } from 'undici';
import { AnswerHandler, type AnswerHeaders } from './answer-handler.ts';
import { firstPiece } from './stream-pieces.ts';

/** Number of unread bytes at which reading from the connection pauses. */
const MAX_UNREAD_BYTES = 65_536;

/** How long the rest of a discarded answer is received. Then its connection is closed. */
const DISCARD_MS = 1_000;

const NOTHING = new Uint8Array();

/** An answer whose headers have arrived. */
export interface OpenAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: IncomingBody;
}

interface Reader {
  readonly wake: () => void;
  readonly reject: (error: Error) => void;
}

/** The body of an answer, read piece by piece. undici's own `request` creates a Node stream with five times as many objects. */
export class IncomingBody {
  #controller: Dispatcher.DispatchController | null = null;
  #unread: Uint8Array[] = [];
  #unread_bytes = 0;
  #reader: Reader | null = null;
  /** Why no more data will arrive. `end`: the body is complete. */
  #over: 'end' | Error | null = null;
  /** Why the reader left early. */
  #left: Error | null = null;
  #discards = false;
  #late: NodeJS.Timeout | undefined;

  /** The next piece, or null after the last. A piece is never longer than {@link firstPiece} allows. Calls must not overlap. */
  async next(): Promise<Uint8Array | null> {
    // The events of a piece are processed together, so other work gets a turn between pieces.
    if (this.#unread.length > 0) await turnOfStream();
    // Resolves when everything from one read of the connection has arrived.
    else if (this.#over === null) await this.#arrival();
    if (this.#unread.length > 0) return this.#firstUnread();
    if (this.#over === 'end') return null;
    throw this.#over ?? this.#left;
  }

  #arrival(): Promise<void> {
    return new Promise((wake, reject) => {
      this.#reader = { wake, reject };
    });
  }

  #firstUnread(): Uint8Array {
    const [only = NOTHING] = this.#unread;
    const all = this.#unread.length === 1 ? only : Buffer.concat(this.#unread);
    const piece = firstPiece(all);
    this.#unread = piece.length < all.length ? [all.subarray(piece.length)] : [];
    this.#unread_bytes -= piece.length;
    if (this.#unread.length === 0) this.#controller?.resume();
    return piece;
  }

  /** Closes the connection unless the body is complete. A pending read rejects with the reason. */
  leave(reason: Error = new Error('left')): void {
    this.#left ??= reason;
    this.#unread = [];
    if (this.#over === null) this.#controller?.abort(this.#left);
  }

  /** Discards the rest, so that the connection can be reused. */
  discard(): void {
    this.#discards = true;
    this.#unread = [];
    if (this.#over !== null) return;
    this.#late = setTimeout(() => this.leave(), DISCARD_MS);
    this.#controller?.resume();
  }

  begin(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#left !== null) controller.abort(this.#left);
  }

  take(piece: Uint8Array): void {
    if (this.#discards) return;
    this.#unread.push(piece);
    this.#unread_bytes += piece.length;
    const reader = this.#reader;
    this.#reader = null;
    reader?.wake();
    if (this.#unread_bytes > MAX_UNREAD_BYTES) this.#controller?.pause();
  }

  end(over: 'end' | Error): void {
    clearTimeout(this.#late);
    this.#over = over;
    const reader = this.#reader;
    this.#reader = null;
    if (over === 'end') reader?.wake();
    else reader?.reject(over);
  }
}

/**
 * Makes a call, and resolves when the answer has begun. Rejects as soon as the signal aborts, even while the call waits for a free connection.
 * @param max_bytes limit of the decoded body
 */
export function openAnswer(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  signal: AbortSignal,
  max_bytes: number,
): Promise<OpenAnswer> {
  return new Promise((resolve, reject) => {
    dispatcher.dispatch(options, new Opening(signal, max_bytes, resolve, reject));
  });
}

class Opening extends AnswerHandler {
  readonly #body = new IncomingBody();
  readonly #signal: AbortSignal;
  readonly #resolve: (answer: OpenAnswer) => void;
  readonly #reject: (reason: Error) => void;
  readonly #abort = (): void => {
    this.#body.leave(this.#signal.reason);
    this.#reject(this.#signal.reason);
  };

  constructor(signal: AbortSignal, max_bytes: number, resolve: (answer: OpenAnswer) => void, reject: (reason: Error) => void) {
    super(max_bytes);
    this.#signal = signal;
    this.#resolve = resolve;
    this.#reject = reject;
    signal.addEventListener('abort', this.#abort, { once: true });
  }

  protected begin(controller: Dispatcher.DispatchController): void {
    this.#body.begin(controller);
  }

  protected start(_controller: Dispatcher.DispatchController, status: number, headers: AnswerHeaders): void {
    this.#resolve({ status, headers, body: this.#body });
  }

  protected take(_controller: Dispatcher.DispatchController, piece: Buffer): void {
    this.#body.take(piece);
  }

  protected end(): void {
    this.#over('end');
  }

  protected fail(error: Error): void {
    this.#over(error);
    this.#reject(error);
  }

  #over(over: 'end' | Error): void {
    this.#signal.removeEventListener('abort', this.#abort);
    this.#body.end(over);
  }
}
