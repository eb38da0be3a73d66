import type { OutgoingHttpHeaders } from 'node:http';
import type { ChatCompletionChunk } from '@svc/contracts';
import type { AnswerSink, RunOutcome } from '@svc/kernel';
import type { FastifyReply } from 'fastify';
import type { AnswerWriter } from './door.ts';
import { EVENT_STREAM, KEEP_ALIVE } from './event-stream.ts';

/**
 * The frames of a streamed answer, written to the connection itself, which a slow reader fills up and so holds back. A readable stream for
 * the framework to send would cost every chunk two more streams on its way.
 *
 * The response begins with the first frame, or with a comment once nothing was sent for `keep_alive_ms`, so that nobody on the way takes the
 * connection for dead; not before the run is on disk. Until it begins, a failure is told by its HTTP status.
 */
export class FrameStream implements AnswerSink {
  readonly #reply: FastifyReply;
  readonly #keep_alive_ms: number;
  readonly #writer: Pick<AnswerWriter, 'piece'>;
  readonly #begun = Promise.withResolvers<void>();
  #timer: NodeJS.Timeout | null = null;
  #has_begun = false;
  #run_id = '';

  constructor(reply: FastifyReply, keep_alive_ms: number, writer: Pick<AnswerWriter, 'piece'>) {
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

  /** Whether the response begins before the run's rest; where it does not, it is not this stream's any more. */
  async begunBefore(rest: Promise<RunOutcome>): Promise<boolean> {
    await Promise.race([this.#begun.promise, rest.catch(() => undefined)]);
    if (!this.#has_begun) this.#stopTimer();
    return this.#has_begun;
  }

  write(frame: ChatCompletionChunk): Promise<void> | undefined {
    const { raw } = this.#reply;
    if (this.#isOver) return undefined;
    const text = this.#writer.piece(frame);
    if (text === '' || this.#send(text)) return undefined;
    return new Promise((resolve) => {
      const go = (): void => {
        raw.off('drain', go).off('close', go);
        resolve();
      };
      raw.on('drain', go).on('close', go);
    });
  }

  /** Sends the last of the text and ends the answer. */
  end(text: string): void {
    this.#stopTimer();
    if (!this.#reply.raw.destroyed) this.#reply.raw.end(text);
  }

  /** Closes the connection: nobody reads any more. */
  leave(): void {
    this.#reply.raw.destroy();
  }

  get #isOver(): boolean {
    const { raw } = this.#reply;
    return raw.destroyed || raw.writableEnded;
  }

  /** From the first text on the answer is this stream's own: the framework sends nothing. */
  #send(text: string): boolean {
    const { raw } = this.#reply;
    if (!this.#has_begun) {
      this.#has_begun = true;
      const reply = this.#reply.headers({ ...EVENT_STREAM, 'x-svc-run-id': this.#run_id }).hijack();
      raw.writeHead(200, reply.getHeaders() as OutgoingHttpHeaders);
      this.#begun.resolve();
    }
    this.#timer?.refresh();
    return raw.write(text);
  }

  /** What a slow reader has still to take says enough. */
  readonly #keepAlive = (): void => {
    if (this.#isOver) return;
    if (this.#reply.raw.writableNeedDrain) this.#timer?.refresh();
    else this.#send(KEEP_ALIVE);
  };

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
