import {
  type AnswerFrame,
  type ChatCompletionChunk,
  type ChatUsage,
  type Endpoint,
  isSvcError,
  type SvcError,
  type TokenUsage,
  turnOfStream,
} from '@svc/contracts';
import { CHAT, chatUsage, reportedUsage } from '@svc/protocols';
import { leftOutIn } from '../calls/carried.ts';
import { concealing } from '../calls/opaque-fields.ts';
import type { PipelineRun } from '../core/pipeline-run.ts';
import { anyEnforces } from '../core/route.ts';
import type { UpstreamEnv } from '../core/stage.ts';
import { rootPattern, withoutOurs } from '../segments/index.ts';
import { assertChunk, bringsAnswer } from './chunk.ts';
import { FrameWriter, type StreamTarget } from './frame-writer.ts';
import { GuardChain, type Violation } from './guard-chain.ts';
import { GuardedStrategy } from './guarded-strategy.ts';
import { ObservedStrategy } from './observed-strategy.ts';
import { OpenStrategy } from './open-strategy.ts';
import { sizeOf } from './size-of.ts';
import type { StreamStrategy } from './stream-strategy.ts';
import type { Brought, StreamedAnswer } from './streamed-answer.ts';
import { UsageCounter } from './usage-counter.ts';
import { forWrittenText } from './written-text.ts';

/** An answer in the chat format, whose chunks are made anew. */
export class LiveAnswer implements StreamedAnswer {
  readonly #run: PipelineRun;
  readonly #line: StreamTarget;
  readonly #writer: FrameWriter;
  readonly #strategy: StreamStrategy;
  readonly #meter: UsageCounter;
  /** The provider's newest figures: some send running totals. */
  #reported: ChatUsage | null = null;
  /** Whether the text is held until the end of the answer, by the kernel or by a guard that judges at the end. */
  readonly #holdsText: boolean;
  /** What a bridge left out. */
  readonly #unbridged = new Set<string>();
  readonly #finish_reasons = new Map<number, string | null>();

  constructor(run: PipelineRun, endpoint: Endpoint, line: StreamTarget, env: UpstreamEnv) {
    this.#run = run;
    this.#line = line;
    this.#writer = new FrameWriter(run, line, env);
    this.#strategy = strategyOf(run, endpoint, this.#writer, env);
    this.#meter = new UsageCounter(env.count_tokens);
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

  get violation(): Violation | null {
    return this.#strategy.violation;
  }

  get left_out(): readonly string[] {
    return [...this.#unbridged, ...this.#strategy.left_out];
  }

  get waits(): boolean {
    return this.#strategy.waits;
  }

  flush(): Promise<void> {
    return this.#strategy.flush();
  }

  look(frame: AnswerFrame): Brought {
    assertChunk(frame);
    const written = this.#count(frame);
    const passing = this.#holdsText ? 0 : written;
    return { isAnswer: bringsAnswer(frame), isWritten: written > 0, held: this.#heldOf(frame), passing };
  }

  usage(ended: boolean): Promise<TokenUsage> {
    return this.#meter.usage(CHAT.readIn(this.#run.request), reportedUsage(this.#reported), ended);
  }

  /** @returns the length of the text of the model that the chunk contains */
  #count({ choices, usage }: ChatCompletionChunk): number {
    if (usage != null) this.#reported = usage;
    const before = this.#meter.length;
    for (const { delta } of choices) forWrittenText(delta, (text) => this.#meter.count(text));
    return this.#meter.length - before;
  }

  /** How much of a chunk is held after it was taken. Streamed text is not held. */
  #heldOf({ choices }: ChatCompletionChunk): number {
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

  async take(frame: AnswerFrame): Promise<void> {
    // As `look` found it.
    const { choices, usage: _, id: __, error: ___, ...rest } = frame as ChatCompletionChunk;
    for (const path of leftOutIn(rest.svc_left_out)) this.#unbridged.add(path);
    const fields = withoutOurs(rest);
    if (choices.length === 0) this.#strategy.note(fields);
    for (const choice of choices) {
      await this.turn();
      const { index, finish_reason } = choice;
      this.#finish_reasons.set(index, finish_reason ?? this.#finish_reasons.get(index) ?? null);
      await this.#strategy.take(choice, fields);
      if (this.#strategy.violation !== null) return;
    }
  }

  async close(used: TokenUsage): Promise<Violation | SvcError | null> {
    const usage = chatUsage(used);
    // The provider's own figures are passed on unchanged, unless they are impossible.
    const reported = used.estimated ? null : this.#reported;
    const ending = await this.#strategy.close({ finish_reasons: this.#finish_reasons, usage: reported, fields: {} });
    const violation = await this.settle(used, true);
    if (violation !== null || isSvcError(ending)) return violation ?? (ending as SvcError);
    const told = ending.usage ?? usage;
    const { left_out } = this;
    this.#line.tail = withLeftOut(this.#writer.ending(ending.finish_reasons, told, ending.fields), left_out);
    const kept = this.#writer.kept(ending.finish_reasons, told);
    this.#run.completion = kept === null || left_out.length === 0 ? kept : { ...kept, svc_left_out: left_out };
    return null;
  }

  async settle(usage: TokenUsage, recorded: boolean): Promise<Violation | null> {
    const violation = await this.#strategy.settle(recorded);
    if (violation !== null)
      this.#line.tail = withLeftOut([this.#writer.violation(violation.late, chatUsage(usage))], this.left_out);
    return violation;
  }
}

function strategyOf(run: PipelineRun, endpoint: Endpoint, writer: FrameWriter, env: UpstreamEnv): StreamStrategy {
  const { egress } = run.route;
  if (egress.length === 0) return new OpenStrategy(writer);
  const chain = new GuardChain(run, egress, env);
  if (!anyEnforces(egress)) return new ObservedStrategy(new OpenStrategy(writer), chain);
  const conceal = concealing(run, endpoint, env.handles);
  const message = rootPattern(CHAT.answer).member('choices').items.member('message');
  return new GuardedStrategy(writer, chain, (held) => conceal?.all(held, message) ?? held);
}

/** The last frame names the fields that were left out. */
function withLeftOut(frames: readonly ChatCompletionChunk[], svc_left_out: readonly string[]): readonly ChatCompletionChunk[] {
  if (svc_left_out.length === 0) return frames;
  return frames.map((frame, at) => (at === frames.length - 1 ? { ...frame, svc_left_out } : frame));
}
