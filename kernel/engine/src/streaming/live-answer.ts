import { type ChatCompletionChunk, type ChatUsage, type Endpoint, isSvcError, type SvcError, turnOfStream } from '@svc/contracts';
import { concealing } from '../calls/opaque-fields.ts';
import type { PipelineRun } from '../core/pipeline-run.ts';
import { anyEnforces } from '../core/route.ts';
import type { UpstreamEnv } from '../core/stage.ts';
import { withoutOurs } from '../segments/index.ts';
import { FrameWriter, type StreamTarget } from './frame-writer.ts';
import { GuardChain, type Violation } from './guard-chain.ts';
import { GuardedStrategy } from './guarded-strategy.ts';
import { ObservedStrategy } from './observed-strategy.ts';
import { OpenStrategy } from './open-strategy.ts';
import { sizeOf } from './size-of.ts';
import type { StreamStrategy } from './stream-strategy.ts';

/** The answer of one attempt, while it is sent to the caller. */
export class LiveAnswer {
  readonly #run: PipelineRun;
  readonly #line: StreamTarget;
  readonly #writer: FrameWriter;
  /** How its pieces go to the caller. Flushed when no more chunks are ready. */
  readonly strategy: StreamStrategy;
  /** Whether the text is held until the end of the answer, by the kernel or by a guard that judges at the end. */
  readonly #holdsText: boolean;
  readonly #finish_reasons = new Map<number, string | null>();

  constructor(run: PipelineRun, endpoint: Endpoint, line: StreamTarget, env: UpstreamEnv) {
    this.#run = run;
    this.#line = line;
    this.#writer = new FrameWriter(run, line, env);
    this.strategy = strategyOf(run, endpoint, this.#writer, env);
    this.#holdsText = line.keep || run.route.egress.some(({ guard }) => guard.stream?.capability !== 'window');
  }

  /** Whether anything was sent. */
  get begun(): boolean {
    return this.#writer.begun;
  }

  /** Whether any choice has arrived. */
  get seen(): boolean {
    return this.#finish_reasons.size > 0;
  }

  /** The finish reason of the first choice, if the provider gave one. */
  get finish_reason(): string | null {
    return this.#finish_reasons.get(0) ?? null;
  }

  /** How much of a chunk is held after it was taken. Streamed text is not held. */
  heldOf({ choices }: ChatCompletionChunk): number {
    const { egress } = this.#run.route;
    if (!this.#holdsText && egress.length === 0) return 0;
    return choices.reduce((sum, { delta }) => {
      const { content, refusal, reasoning_content, reasoning, ...rest } = delta;
      return sum + sizeOf(rest) + (this.#holdsText ? sizeOf([content, refusal, reasoning_content, reasoning]) : 0);
    }, 0);
  }

  /** See {@link turnOfStream}. */
  turn(): Promise<void> | undefined {
    return turnOfStream(this.#run.principal_id);
  }

  async take(chunk: ChatCompletionChunk): Promise<void> {
    const { choices, usage: _, id: __, error: ___, ...rest } = chunk;
    const fields = withoutOurs(rest);
    if (choices.length === 0) this.strategy.note(fields);
    for (const choice of choices) {
      await this.turn();
      const { index, finish_reason } = choice;
      this.#finish_reasons.set(index, finish_reason ?? this.#finish_reasons.get(index) ?? null);
      await this.strategy.take(choice, fields);
      if (this.strategy.violation !== null) return;
    }
  }

  /** Ends a complete answer, with its reported or counted `usage`. Held parts are sent; the last frames wait for the evidence. */
  async close(usage: ChatUsage, reported: ChatUsage | null): Promise<Violation | SvcError | null> {
    const ending = await this.strategy.close({ finish_reasons: this.#finish_reasons, usage: reported, fields: {} });
    const violation = await this.settle(usage, true);
    if (violation !== null || isSvcError(ending)) return violation ?? (ending as SvcError);
    const told = ending.usage ?? usage;
    const { left_out } = this.strategy;
    this.#line.tail = withLeftOut(this.#writer.ending(ending.finish_reasons, told, ending.fields), left_out);
    const kept = this.#writer.kept(ending.finish_reasons, told);
    this.#run.completion = kept === null || left_out.length === 0 ? kept : { ...kept, svc_left_out: left_out };
    return null;
  }

  /** Asks the guards for their final verdict on the received text, and records it unless the answer is discarded. */
  async settle(usage: ChatUsage, recorded: boolean): Promise<Violation | null> {
    const violation = await this.strategy.settle(recorded);
    if (violation !== null)
      this.#line.tail = withLeftOut([this.#writer.violation(violation.late, usage)], this.strategy.left_out);
    return violation;
  }
}

function strategyOf(run: PipelineRun, endpoint: Endpoint, writer: FrameWriter, env: UpstreamEnv): StreamStrategy {
  const { egress } = run.route;
  if (egress.length === 0) return new OpenStrategy(writer);
  const chain = new GuardChain(run, egress, env);
  if (!anyEnforces(egress)) return new ObservedStrategy(new OpenStrategy(writer), chain);
  return new GuardedStrategy(writer, chain, concealing(run, endpoint, env.handles));
}

/** The last frame names the fields that were left out. */
function withLeftOut(frames: readonly ChatCompletionChunk[], svc_left_out: readonly string[]): readonly ChatCompletionChunk[] {
  if (svc_left_out.length === 0) return frames;
  return frames.map((frame, at) => (at === frames.length - 1 ? { ...frame, svc_left_out } : frame));
}
