import { PassThrough } from 'node:stream';
import type { AnswerSink, RunOutcome } from '@svc/kernel';
import type { ChatCompletionChunk } from '@svc/kernel/contracts';
import { frameText } from './frames.ts';

/** The frames of a streamed answer as a readable stream, which a slow reader fills up and so holds back. */
export class FrameStream implements AnswerSink {
  readonly readable = new PassThrough();
  readonly #begun = Promise.withResolvers<true>();
  #run_id = '';

  begin(run_id: string): void {
    this.#run_id = run_id;
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
    if (this.readable.destroyed || this.readable.write(frameText(frame))) return undefined;
    return new Promise((resolve) => {
      const go = (): void => {
        this.readable.off('drain', go).off('close', go);
        resolve();
      };
      this.readable.on('drain', go).on('close', go);
    });
  }

  /** Sends the last of the text and ends the answer. */
  end(text: string): void {
    if (!this.readable.destroyed) this.readable.end(text);
  }
}
