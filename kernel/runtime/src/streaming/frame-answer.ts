import {
  type AnswerBody,
  type AnswerFrame,
  type AnswerIdentity,
  cloneJson,
  type Endpoint,
  type FrameReader,
  type FrameReading,
  isProviderError,
  type ProtocolFrames,
  type SvcError,
  sizeOf,
  type TokenUsage,
  turnOfStream,
} from '@svc/contracts';
import type { PipelineRun } from '@svc/kernel';
import { anyEnforces } from '@svc/kernel/routes';
import { identityOf } from '../answers/answer-head.ts';
import { concealing } from '../answers/opaque-fields.ts';
import { leftOutIn } from '../answers/outgoing-request.ts';
import type { TransportEnv } from '../answers/transport-env.ts';
import { rootPattern } from '../texts/field-pattern.ts';
import type { StreamTarget } from './answer-sink.ts';
import { textAt, valueAt } from './frame-place.ts';
import { GuardChain, type Violation } from './guard-chain.ts';
import { GuardedFrames, type SendFrame } from './guarded-frames.ts';
import { PacedSink } from './paced-sink.ts';
import { UsageCounter } from './usage-counter.ts';
import { forWrittenText } from './written-text.ts';

const NOTHING_READ: FrameReading = { pieces: [], ends: [], repeats: [], part: null, signatures: [], isLast: false };
const nowhere: SendFrame = () => undefined;
/** A part whose place is not named, because the place may be unknown. */
const UNSEEN = { path: 'other', why: 'opaque' } as const;

/** What a frame adds to an answer, before any guard has seen it. */
interface Brought {
  /** Whether the frame has a piece of the answer, or ends it. The first frames often have only the role, long before the first text. */
  readonly isAnswer: boolean;
  /** Whether the model wrote part of it. */
  readonly isWritten: boolean;
  /** Bytes that remain in memory after the frame is taken. */
  readonly held: number;
  /** Bytes that are in memory only until the frame is taken. How long that is depends on the reader of the answer. */
  readonly passing: number;
}

/** The answer of one attempt, in the caller's protocol, while it is sent. Everything that guards do not hold back is sent as received. */
export class FrameAnswer {
  readonly #run: PipelineRun;
  readonly #line: StreamTarget;
  readonly #identity: AnswerIdentity;
  readonly #reader: FrameReader;
  readonly #frames: ProtocolFrames;
  readonly #gatherer: ReturnType<ProtocolFrames['gatherer']> | null;
  readonly #chain: GuardChain | null;
  readonly #guarded: GuardedFrames | null;
  readonly #enforces: boolean;
  readonly #paced: PacedSink;
  readonly #counter: UsageCounter;
  #reading = NOTHING_READ;
  /** Frames before the first piece of the answer. Until that piece arrives, another provider may still be tried. */
  #early: AnswerFrame[] = [];
  #answers = false;
  /** Whether the current frame has a part of the answer. */
  #brings = false;
  /** Parts that arrived with the end of the answer. They are sent before the frames that arrived after them. */
  readonly #lastParts: AnswerFrame[] = [];
  readonly #last: AnswerFrame[] = [];
  /** Whether a guard decides only at the end. If so, a tool call and everything that follows it is sent after that. */
  readonly #judgesAtEnd: boolean;
  readonly #held: AnswerFrame[] = [];
  #holds = false;
  #settled: Promise<Violation | null> | null = null;
  #ended = false;
  /** Paths of fields that a bridge removed, and of fields that no guard can read. */
  readonly #left_out = new Set<string>();

  constructor(run: PipelineRun, endpoint: Endpoint, line: StreamTarget, env: TransportEnv) {
    const { frames } = run.protocol;
    this.#run = run;
    this.#line = line;
    this.#identity = identityOf(run, env.clock);
    this.#frames = frames;
    this.#reader = frames.reader();
    this.#gatherer = line.keep ? frames.gatherer() : null;
    this.#paced = new PacedSink(run, line.sink, env);
    this.#counter = new UsageCounter(env.count_tokens);
    const { egress } = run.route;
    this.#enforces = anyEnforces(egress);
    this.#judgesAtEnd = egress.some(({ guard, mode }) => mode === 'enforce' && guard.stream?.capability === 'post');
    this.#chain = egress.length === 0 ? null : new GuardChain(run, egress, env);
    const answer = rootPattern(run.protocol.answer);
    const conceal = this.#enforces ? concealing(run, endpoint, env.handles) : null;
    const send = this.#enforces ? this.#send : nowhere;
    this.#guarded = this.#chain && new GuardedFrames(this.#reader, frames, answer, this.#chain, conceal, send);
  }

  /** Whether anything was sent. */
  get begun(): boolean {
    return this.#paced.begun;
  }

  get isComplete(): boolean {
    return this.#reader.isComplete;
  }

  /** Paths of the fields removed so far. They contain only known names. */
  get left_out(): readonly string[] {
    return [...this.#left_out];
  }

  /** The finish reason in the terms of the chat format. Null: the provider gave none. */
  get finish_reason(): string | null {
    return this.#reader.facts.finish_reason;
  }

  /** Why nothing more may be sent. Null while text may be sent. */
  get violation(): Violation | null {
    return this.#chain?.violation ?? null;
  }

  /** Whether text waits to be passed to the guards together with more text that has arrived already. */
  get waits(): boolean {
    return this.#guarded?.waits ?? false;
  }

  async flush(): Promise<void> {
    const flushing = this.#guarded?.flush();
    await (this.#enforces ? flushing : flushing?.catch(this.#unseen));
  }

  /** Call this when the upstream has ended. @returns the frames that are still missing; they are then processed like the others */
  end(): Iterable<AnswerFrame> {
    return this.#reader.end?.() ?? [];
  }

  /** Ends the open texts of a complete answer. They are sent before the last frames. @throws {ProviderError} `malformed` */
  async endTexts(): Promise<void> {
    const ending = this.#guarded?.end();
    await (this.#enforces ? ending : ending?.catch(this.#unseen));
    this.#ended = true;
  }

  /** Lets other work run if streams have used up their time. */
  turn(): Promise<void> | undefined {
    return turnOfStream(this.#run.principal_id);
  }

  /** Reads the next frame. Call {@link take} with it afterwards. @throws {ProviderError} `malformed` */
  look(frame: AnswerFrame): Brought {
    for (const path of leftOutIn(frame.svc_left_out)) this.#left_out.add(path);
    const reading = this.#reader.read(frame);
    this.#reading = reading;
    const { pieces, repeats, part, isLast } = reading;
    let length = 0;
    for (const { place } of pieces) {
      const text = textAt(frame, place) ?? '';
      this.#counter.count(text);
      length += text.length;
    }
    if (part !== null) this.#countPart(frame, part);
    const isAnswer = length > 0 || part !== null || repeats.length > 0 || isLast || reading.isAnswer === true;
    this.#brings = isAnswer;
    return { isAnswer, isWritten: length > 0 || part !== null, ...this.#sizesOf(frame, reading, length, isAnswer) };
  }

  #countPart(frame: AnswerFrame, { places }: NonNullable<FrameReading['part']>): void {
    for (const part of places?.map((place) => valueAt(frame, place)) ?? [frame])
      forWrittenText(Object(part), (text) => this.#counter.count(text));
  }

  /** How many bytes of a frame stay in memory, and how many only for a while. @param length length of its pieces */
  #sizesOf(
    frame: AnswerFrame,
    { pieces, part, isLast }: FrameReading,
    length: number,
    isAnswer: boolean,
  ): Pick<Brought, 'held' | 'passing'> {
    const waits = isLast || (!this.#answers && !isAnswer);
    const isKept = this.#gatherer !== null && pieces.length === 0;
    const isJudged = this.#guarded !== null && (part !== null || this.#holds);
    if (waits || isKept || isJudged) return { held: sizeOf(frame), passing: 0 };
    // Texts are kept both as received and as sent, for frames that repeat them.
    const flowing = this.#guarded === null ? 0 : 2 * length;
    const held = flowing + (this.#gatherer === null ? 0 : length);
    return { held, passing: pieces.length === 0 ? sizeOf(frame) : length };
  }

  /** Takes the frame that {@link look} has read. Undefined if there is nothing to wait for. */
  take(frame: AnswerFrame): Promise<void> | undefined {
    const reading = this.#reading;
    this.#answers ||= this.#brings;
    // If a guard enforces, the texts were sent before the last frames.
    const isDelayed = !reading.isLast && !this.#enforces && this.#last.length > 0;
    return isDelayed ? this.#takeLater(frame, reading) : this.#takeNow(frame, reading);
  }

  /** The frames that seemed to be the last ones are sent before those that follow. */
  async #takeLater(frame: AnswerFrame, reading: FrameReading): Promise<void> {
    for (const last of this.#last.splice(0)) await this.#paced.write(last);
    await this.#takeNow(frame, reading);
  }

  #takeNow(frame: AnswerFrame, reading: FrameReading): Promise<void> | undefined {
    return this.#guarded === null ? this.#send(frame, reading.isLast) : this.#takeGuarded(frame, reading, this.#guarded);
  }

  #takeGuarded(frame: AnswerFrame, reading: FrameReading, guarded: GuardedFrames): Promise<void> | undefined {
    if (!this.#enforces) return this.#takeObserved(frame, reading, guarded);
    const { answer, left_out } = this.#checkable(frame);
    for (const path of left_out) this.#left_out.add(path);
    return guarded.take(answer, reading);
  }

  /** Sends the frame, and passes a copy of it to the guards, because collecting its text changes it. */
  async #takeObserved(frame: AnswerFrame, reading: FrameReading, guarded: GuardedFrames): Promise<void> {
    const { answer, left_out } = this.#checkable(cloneJson(frame));
    await this.#send(frame, reading.isLast);
    this.#chain?.unread(left_out.map((path) => ({ path, why: 'opaque' })));
    try {
      await guarded.take(answer, reading);
    } catch (error) {
      this.#unseen(error);
    }
  }

  #checkable(frame: AnswerFrame): ReturnType<NonNullable<ProtocolFrames['checkable']>> {
    return this.#frames.checkable?.(frame) ?? { answer: frame, left_out: [] };
  }

  /** The usage of the answer, reported by the provider or counted here. @param ended whether the answer is complete */
  usage(ended: boolean): Promise<TokenUsage> {
    const { protocol, request } = this.#run;
    return this.#counter.usage(protocol.readIn(request), this.#reader.facts.usage, ended);
  }

  /** Closes an answer whose texts have ended. Held parts are sent now; the last frames wait for the evidence. */
  async close(usage: TokenUsage): Promise<Violation | SvcError | null> {
    const violation = await this.settle(true);
    if (violation !== null) return violation;
    if (this.#enforces && this.#guarded !== null && this.#guarded.error !== null) return this.#guarded.error;
    for (const held of this.#held) await this.#paced.write(held);
    const last = [...this.#lastParts, ...this.#last];
    this.#line.tail = usage.estimated ? last.map((frame) => this.#frames.withUsage(frame, usage)) : last;
    if (this.#gatherer !== null) this.#run.completion = this.#kept(this.#gatherer.answer(), usage);
    return null;
  }

  /** The answer as it was sent, with the paths of removed fields. */
  #kept(answer: AnswerBody, usage: TokenUsage): AnswerBody {
    const { left_out } = this;
    const counted = usage.estimated ? this.#run.protocol.withUsage(answer, usage) : answer;
    return left_out.length === 0 ? counted : { ...counted, svc_left_out: left_out };
  }

  /** Asks the guards for their final verdict on the received text. Records the verdict unless the answer is discarded. */
  async settle(recorded: boolean): Promise<Violation | null> {
    if (this.#chain === null) return null;
    this.#settled ??= this.#finish(this.#chain, recorded);
    const found = await this.#settled;
    // If all guards only observe, nothing stops the answer.
    const violation = this.#enforces ? found : null;
    if (violation !== null) {
      const { left_out } = this;
      const svc_event = violation.late ? 'late_violation' : 'stream_violation';
      this.#line.tail = [{ svc_event, ...(left_out.length > 0 && { svc_left_out: left_out }) }];
    }
    return violation;
  }

  async #finish(chain: GuardChain, recorded: boolean): Promise<Violation | null> {
    // Observing guards have not seen a part that did not end, although some of it was sent. The rest of that part may have caused the failure.
    if (!this.#enforces && !this.#ended) await this.#guarded?.end().catch(this.#unseen);
    if (!this.#enforces && this.#guarded !== null && this.#guarded.error !== null) chain.unread([UNSEEN]);
    return chain.finish(recorded, this.#ended);
  }

  /** An error of observing guards stops nothing. The parts that they could not see are listed as unread. */
  readonly #unseen = (error: unknown): void => {
    if (!isProviderError(error)) throw error;
    this.#chain?.unread([UNSEEN]);
  };

  readonly #send: SendFrame = (frame, isLast, isPart = false) => {
    const headed = this.#run.protocol.withHead(frame, this.#identity);
    this.#gatherer?.take(headed);
    if (!this.#answers) {
      this.#early.push(headed);
      return undefined;
    }
    this.#holds ||= isPart && this.#judgesAtEnd;
    const last = isPart ? this.#lastParts : this.#last;
    const later = isLast ? last : this.#holds ? this.#held : null;
    if (this.#early.length > 0) return this.#sendEarly(headed, later);
    if (later === null) return this.#paced.write(headed);
    later.push(headed);
    return undefined;
  };

  async #sendEarly(next: AnswerFrame, later: AnswerFrame[] | null): Promise<void> {
    const early = this.#early;
    this.#early = [];
    for (const frame of early) await this.#paced.write(frame);
    if (later === null) await this.#paced.write(next);
    else later.push(next);
  }
}
