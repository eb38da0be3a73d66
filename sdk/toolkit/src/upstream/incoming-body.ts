import { turnOfStream } from '@svc/contracts';
import type { Dispatcher } from 'undici';
import { ConnectionUse } from './connection-use.ts';
import { firstPiece } from './stream-pieces.ts';

/** So much may come in unread before the connection is held back. */
const MAX_UNREAD_BYTES = 65_536;

/** How long what is left of an answer may take to come in; then its connection is closed. */
const DISCARD_MS = 1_000;

const NOTHING = new Uint8Array();

/** An answer that has begun. */
export interface OpenAnswer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: IncomingBody;
}

interface Reader {
  readonly wake: () => void;
  readonly reject: (error: Error) => void;
}

/** An answer's body, read piece by piece: what undici's own `request` gives is a Node stream with five times its objects. */
export class IncomingBody {
  #controller: Dispatcher.DispatchController | null = null;
  #unread: Uint8Array[] = [];
  #unread_bytes = 0;
  #reader: Reader | null = null;
  /** Why nothing more comes: `end` after all of it. */
  #over: 'end' | Error | null = null;
  /** Why the connection is to be closed. */
  #left: Error | null = null;
  #discards = false;
  #late: NodeJS.Timeout | undefined;

  /** What has come, as much of it as is parsed at a time, see {@link firstPiece}; null after the last. Not to be called while another call waits. */
  async next(): Promise<Uint8Array | null> {
    // Its events are read in one go: between two pieces others have their turn.
    if (this.#unread.length > 0) await turnOfStream();
    // It wakes when all is here that one read of the connection brings.
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

  /** Closes the connection, unless all has come. Who waits for a piece is told the reason. */
  leave(reason: Error = new Error('left')): void {
    this.#left ??= reason;
    this.#unread = [];
    if (this.#over === null) this.#controller?.abort(this.#left);
  }

  /** Reads away what is left, so that its connection can be used again. */
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

/** Makes a call; settles once its answer has begun. Rejects as soon as the signal aborts, also while the call waits for a free connection. */
export function openAnswer(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  signal: AbortSignal,
): Promise<OpenAnswer> {
  return new Promise((resolve, reject) => {
    const body = new IncomingBody();
    const use = new ConnectionUse();
    const abort = (): void => {
      body.leave(signal.reason);
      reject(signal.reason);
    };
    const end = (over: 'end' | Error): void => {
      signal.removeEventListener('abort', abort);
      body.end(over);
    };
    signal.addEventListener('abort', abort, { once: true });
    dispatcher.dispatch(options, {
      onRequestStart(controller) {
        use.start();
        body.begin(controller);
      },
      onResponseStart(_controller, status, headers) {
        // 1xx answers come before the one that counts.
        if (status >= 200) resolve({ status, headers, body });
      },
      onResponseData: (_controller, piece) => body.take(piece),
      onResponseEnd: () => end('end'),
      onResponseError(_controller, error) {
        end(error);
        reject(use.explained(error));
      },
    });
  });
}
