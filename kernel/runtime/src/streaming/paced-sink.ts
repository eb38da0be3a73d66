import type { AnswerFrame } from '@svc/contracts';
import type { PipelineRun } from '@svc/kernel';
import type { PipelineEnv } from '@svc/kernel/guards';
import type { AnswerSink } from './answer-sink.ts';
import { TimeoutError, WaitLimits } from './wait-limits.ts';

/** A reader that keeps a stream waiting for this long in total counts as disconnected, because it blocks an upstream connection. */
const MAX_WAITED_MS = 300_000;

/** Sends frames no faster than the reader takes them. */
export class PacedSink {
  readonly #run: PipelineRun;
  readonly #sink: AnswerSink;
  readonly #waits: WaitLimits;
  #begun = false;

  constructor(run: PipelineRun, sink: AnswerSink, { clock }: Pick<PipelineEnv, 'clock'>) {
    this.#run = run;
    this.#sink = sink;
    this.#waits = new WaitLimits(clock, MAX_WAITED_MS, run.abort.signal);
  }

  /** Whether anything was sent. */
  get begun(): boolean {
    return this.#begun;
  }

  /** Undefined if there is no need to wait for the reader. */
  write(frame: AnswerFrame): Promise<void> | undefined {
    if (!this.#begun) {
      if (this.#run.abort.signal.aborted) return undefined;
      this.#begun = true;
    }
    const taken = this.#sink.write(frame);
    return taken === undefined ? undefined : this.#wait(taken);
  }

  async #wait(taken: Promise<void>): Promise<void> {
    try {
      await this.#waits.wait(taken);
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error;
      if (error.why === 'timeout') this.#run.abort.abort('disconnected');
    } finally {
      // Most frames need no wait, so the timer is not kept.
      this.#waits.end();
      this.#run.timeline.reader_ms = this.#waits.waited_ms;
    }
  }
}
