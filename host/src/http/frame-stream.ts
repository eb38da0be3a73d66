import type { OutgoingHttpHeaders } from 'node:http';
import type { AnswerSink, RunOutcome } from '@svc/kernel';
import type { ChatCompletionChunk } from '@svc/kernel/contracts';
import type { FastifyReply } from 'fastify';
import { EVENT_STREAM, frameText } from './frames.ts';

/**
 * The frames of a streamed answer, written to the connection itself, which a slow reader fills up and so holds back. A readable stream for
 * the framework to send would cost every chunk two more streams on its way.
 */
export class FrameStream implements AnswerSink {
  readonly #reply: FastifyReply;
  readonly #begun = Promise.withResolvers<true>();
  #run_id = '';

  constructor(reply: FastifyReply) {
    this.#reply = reply;
  }

  /** From here on the answer is this stream's own: the framework sends nothing. */
  begin(run_id: string): void {
    this.#run_id = run_id;
    const reply = this.#reply.headers({ ...EVENT_STREAM, 'x-svc-run-id': run_id }).hijack();
    reply.raw.writeHead(200, reply.getHeaders() as OutgoingHttpHeaders);
    this.#begun.resolve(true);
  }

  get run_id(): string {
    return this.#run_id;
  }

  /** Whether a frame comes before the run's rest. A run that fails without a frame counts as one that rested. */
  async begunBefore(rest: Promise<RunOutcome>): Promise<boolean> {
    const rested = rest.then(
      () => false,
      () => false,
    );
    return Promise.race([this.#begun.promise, rested]);
  }

  write(frame: ChatCompletionChunk): Promise<void> | undefined {
    const { raw } = this.#reply;
    if (raw.destroyed || raw.writableEnded || raw.write(frameText(frame))) return undefined;
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
    if (!this.#reply.raw.destroyed) this.#reply.raw.end(text);
  }

  /** Closes the connection: nobody reads any more. */
  leave(): void {
    this.#reply.raw.destroy();
  }
}
