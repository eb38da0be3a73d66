import type { OutgoingHttpHeaders } from 'node:http';
import { type AnswerFrame, errorName } from '@svc/contracts';
import type { RunOutcome } from '@svc/kernel';
import type { AnswerSink } from '@svc/runtime/streaming';
import type { FastifyReply } from 'fastify';
import type { AnswerWriter } from './door.ts';

/** A client that reads nothing for this long is treated as disconnected. The same limit applies to the wait before the end of a stream. */
const MAX_UNREAD_MS = 300_000;
/** Maximum bytes of one write. */
const PIECE_BYTES = 65_536;

/**
 * Writes the frames of a streamed answer to the connection itself, with the backpressure of a slow client. A readable stream for the framework would
 * add two more streams for every chunk.
 *
 * The response begins with the first frame, or with a keep-alive after `keep_alive_ms`, so that no proxy closes the connection. It never begins
 * before the run is on disk. A failure before the response begins has an HTTP status.
 */
export class FrameStream implements AnswerSink {
  readonly #reply: FastifyReply;
  readonly #keep_alive_ms: number;
  readonly #writer: Pick<AnswerWriter, 'head' | 'piece' | 'keepAlive' | 'held'>;
  readonly #begun = Promise.withResolvers<void>();
  #timer: NodeJS.Timeout | null = null;
  #unread: NodeJS.Timeout | undefined;
  #has_begun = false;
  #held = 0;
  /** Text of this turn of the event loop, sent in one write. */
  #gathered = '';
  #run_id = '';

  constructor(reply: FastifyReply, keep_alive_ms: number, writer: Pick<AnswerWriter, 'head' | 'piece' | 'keepAlive' | 'held'>) {
    this.#reply = reply;
    this.#writer = writer;
    this.#keep_alive_ms = keep_alive_ms;
    reply.raw.once('close', () => this.#stopTimer());
  }

  ready(run_id: string): void {
    this.#run_id = run_id;
    if (!this.#reply.raw.destroyed) this.#timer = setTimeout(this.#keepAlive, this.#keep_alive_ms);
  }

  get run_id(): string {
    return this.#run_id;
  }

  /** Whether the response begins before the run has paused or ended. If not, this stream sends nothing. */
  async begunBefore(rest: Promise<RunOutcome>): Promise<boolean> {
    await Promise.race([this.#begun.promise, rest.catch(() => undefined)]);
    if (!this.#has_begun) this.#stopTimer();
    return this.#has_begun;
  }

  write(frame: AnswerFrame): Promise<void> | undefined {
    if (this.#isOver) return undefined;
    const text = this.#writer.piece(frame);
    this.#countHeld();
    if (text === '') return undefined;
    if (text.length > PIECE_BYTES) {
      this.#sendGathered();
      return this.#sendCounted(Buffer.from(text));
    }
    if (this.#gathered === '') queueMicrotask(this.#sendGathered);
    this.#gathered += text;
    if (this.#gathered.length > PIECE_BYTES) this.#sendGathered();
    return this.#reply.raw.writableNeedDrain ? this.#drained() : undefined;
  }

  readonly #sendGathered = (): void => {
    const text = this.#gathered;
    this.#gathered = '';
    if (text === '' || this.#isOver) return;
    try {
      this.#send(text);
    } catch (error) {
      // No other code would catch this error.
      this.#cut(errorName(error));
    }
  };

  /** Counts the bytes of the answer that the writer buffers. They were admitted with the run. */
  #countHeld(): void {
    const { held } = this.#writer;
    if (held > this.#held) this.#reply.request.bytes.add(held - this.#held);
    this.#held = held;
  }

  /** Sends the last frames as fast as the client reads, and ends the response. If the client reads nothing for 5 minutes, closes the connection. */
  end(frames: Iterable<string>): void {
    this.#sendGathered();
    this.#stopTimer();
    this.#unread = setTimeout(() => this.#cut('unread'), MAX_UNREAD_MS);
    this.#sendLast(frames)
      .catch((error: unknown) => this.#cut(errorName(error)))
      .finally(() => clearTimeout(this.#unread));
  }

  #cut(reason: string): void {
    this.#reply.log.warn({ event: 'answer_cut', run_id: this.#run_id, reason });
    this.leave();
  }

  async #sendLast(frames: Iterable<string>): Promise<void> {
    const { raw } = this.#reply;
    const left = frames[Symbol.iterator]();
    for (;;) {
      const { bytes, isLast } = nextBytes(left);
      if (raw.destroyed) return;
      if (isLast) return void raw.end(bytes);
      await this.#sendCounted(bytes);
    }
  }

  /** Unread data counts as bytes in flight. It was admitted with the run. */
  async #sendCounted(bytes: Buffer): Promise<void> {
    const { raw, request } = this.#reply;
    request.bytes.add(bytes.length);
    try {
      for (let at = 0; at < bytes.length && !raw.destroyed; at += PIECE_BYTES)
        if (!this.#send(bytes.subarray(at, at + PIECE_BYTES))) await this.#drained().then(() => this.#unread?.refresh());
    } finally {
      request.bytes.add(-bytes.length);
    }
  }

  #drained(): Promise<void> {
    const { raw, request } = this.#reply;
    if (raw.destroyed) return Promise.resolve();
    const drained = new Promise<void>((resolve) => {
      const go = (): void => {
        raw.off('drain', go).off('close', go);
        resolve();
      };
      raw.on('drain', go).on('close', go);
    });
    return request.bytes.whileUnread(drained, () => this.#cut('stalled'));
  }

  /** Closes the connection, because the client has stopped reading. */
  leave(): void {
    this.#reply.raw.destroy();
  }

  get #isOver(): boolean {
    const { raw } = this.#reply;
    return raw.destroyed || raw.writableEnded;
  }

  /** From the first text on, this stream writes the response, and the framework sends nothing. */
  #send(text: string | Buffer): boolean {
    const { raw } = this.#reply;
    if (!this.#has_begun) {
      this.#has_begun = true;
      const reply = this.#reply.headers({ ...this.#writer.head, 'x-svc-run-id': this.#run_id }).hijack();
      raw.writeHead(200, reply.getHeaders() as OutgoingHttpHeaders);
      this.#begun.resolve();
    }
    this.#timer?.refresh();
    return raw.write(text);
  }

  /** No keep-alive is sent while data is unread. */
  readonly #keepAlive = (): void => {
    if (this.#isOver) return;
    if (this.#reply.raw.writableNeedDrain) this.#timer?.refresh();
    else this.#send(this.#writer.keepAlive(this.#run_id));
  };

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}

/** The next frames, or a piece of them. No further copy is held, because one frame may be the whole answer. */
function nextBytes(frames: Iterator<string>): { bytes: Buffer; isLast: boolean } {
  let text = '';
  for (;;) {
    const { done, value } = frames.next();
    if (done === true) return { bytes: Buffer.from(text), isLast: true };
    text += value;
    if (text.length >= PIECE_BYTES) return { bytes: Buffer.from(text), isLast: false };
  }
}
