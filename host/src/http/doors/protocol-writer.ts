import {
  type AnswerBody,
  type AnswerFrame,
  type AnswerIdentity,
  type BridgedProtocol,
  isSvcError,
  type ProtocolFrames,
  type RequestBody,
  SvcError,
} from '@svc/contracts';
import type { RunOutcome } from '@svc/kernel';
import type { AnswerWriter } from './door.ts';
import { receiptsOf } from './receipts-of.ts';
import type { StopForm } from './stop-form.ts';
import { stopText } from './stop-text.ts';
import { stoppedCompletion, usedBefore } from './stopped-completion.ts';
import { NAMED_EVENTS, type StreamForm } from './stream-form.ts';

/** Returns the frames of a failed answer. `asked`: the request. */
export type FailureFrames = (
  error: SvcError,
  asked: RequestBody,
  identity: AnswerIdentity,
  receipts: Readonly<Record<string, unknown>>,
) => readonly AnswerFrame[];

interface WriterOptions {
  readonly shown?: Shown;
  readonly form?: StreamForm;
  /** Whether a stop can end an answer after some of its frames were sent. */
  readonly mayStop?: boolean;
}

/** Removes the parts of an answer or a frame that the gateway requested and the client did not. */
export type Shown = <T extends AnswerBody | AnswerFrame>(answer: T) => T;

/** Writes answers in the protocol of the request. Model text is unchanged; the gateway's messages take the protocol's form. */
export class ProtocolWriter implements AnswerWriter {
  readonly #protocol: BridgedProtocol;
  readonly #asked: RequestBody;
  readonly #failure: FailureFrames;
  readonly #shown: Shown;
  readonly #form: StreamForm;
  /** Collects the sent frames, so that they can be repeated. Null: no guard can stop the answer. */
  readonly #ending: ReturnType<ProtocolFrames['ending']> | null;
  /** Number of frames that were sent. */
  #number = 0;
  /** Whether the gateway itself began the stream. */
  #hasOpened = false;

  constructor(
    protocol: BridgedProtocol,
    asked: RequestBody,
    failure: FailureFrames,
    { shown = (answer) => answer, form = NAMED_EVENTS, mayStop = true }: WriterOptions = {},
  ) {
    this.#protocol = protocol;
    this.#asked = asked;
    this.#failure = failure;
    this.#shown = shown;
    this.#form = form;
    this.#ending = mayStop ? protocol.frames.ending() : null;
  }

  get head() {
    return this.#form.head;
  }

  whole(outcome: RunOutcome, form: StopForm): object {
    const { completion } = outcome;
    return { ...this.#shown(completion ?? this.#stopped(outcome, form)), ...oursOf(outcome, form), ...receiptsOf(outcome) };
  }

  get held(): number {
    return this.#ending?.held ?? 0;
  }

  piece(frame: AnswerFrame): string {
    if (this.#hasOpened && this.#protocol.frames.isOpening(frame)) return '';
    this.#ending?.take(frame);
    return this.#text(frame);
  }

  /** If the answer has not begun, sends its first frames, because clients expect them first. */
  keepAlive(run_id: string): string {
    const { opening, keepAlive } = this.#protocol.frames;
    const first = this.#number > 0 ? [] : opening(this.#asked, this.#identity(run_id));
    this.#hasOpened ||= first.length > 0;
    for (const frame of first) this.#ending?.take(frame);
    if (first.length === 0 && keepAlive === null) return this.#form.silence;
    return [...first, ...(first.length === 0 && keepAlive !== null ? [keepAlive] : [])]
      .map((frame) => this.#text(frame))
      .join('');
  }

  *end(outcome: RunOutcome, form: StopForm): Generator<string> {
    const { frames } = this.#protocol;
    const { row, error } = outcome;
    if (error !== null) {
      yield this.failed(row.run_id, error, receiptsOf(outcome));
      return;
    }
    const receipts = { ...oursOf(outcome, form), ...receiptsOf(outcome) };
    for (const frame of this.#last(outcome, form)) {
      if (this.#hasOpened && frames.isOpening(frame)) continue;
      yield this.#text(frames.withReceipts(frame, receipts));
    }
    yield this.#form.end(this.#number);
  }

  failed(run_id: string, thrown: unknown, receipts: Readonly<Record<string, unknown>> = { svc_run_id: run_id }): string {
    const error = isSvcError(thrown) ? thrown : new SvcError('SVC-INT-001', 'internal error', { cause: thrown });
    const { opening } = this.#protocol.frames;
    const identity = this.#identity(run_id);
    const first = this.#number > 0 ? [] : opening(this.#asked, identity);
    const failure = this.#failure(error, this.#asked, identity, receipts);
    const texts = [...first, ...failure].map((frame) => this.#text(frame));
    return [...texts, this.#form.end(this.#number)].join('');
  }

  /** The rest of an answer that was streamed live, otherwise the whole answer. */
  #last(outcome: RunOutcome, form: StopForm): Iterable<AnswerFrame> {
    const { frames } = this.#protocol;
    const { tail, completion, stop } = outcome;
    if (tail !== null && stop === null) return tail;
    // Clients expect an answer to begin before it ends.
    if (tail === null || this.#ending === null || form.field === 'error' || this.#number === 0)
      return frames.framesOf(completion ?? this.#stopped(outcome, form));
    return this.#ending.frames(stopText(outcome, form.origin), form.field, usedBefore(outcome));
  }

  /** A stop as a complete answer, because clients retry incomplete ones. */
  #stopped(outcome: RunOutcome, form: StopForm) {
    const stopped = stoppedCompletion(outcome, form);
    const choices = stopped.choices.map((choice) => ({ ...choice, finish_reason: 'stop' }));
    const answer = this.#protocol.bridge.answerFromChat({ ...stopped, choices }, this.#asked);
    return this.#protocol.withHead(answer, this.#identity(outcome.row.run_id, Date.parse(outcome.row.created_at)));
  }

  #identity(id: string, at = Date.now()): AnswerIdentity {
    return { id, created: Math.floor(at / 1000), model: this.#asked.model };
  }

  #text(given: AnswerFrame): string {
    const text = this.#form.text(this.#protocol.frames.numbered(this.#shown(given), this.#number), this.#number);
    this.#number += 1;
    return text;
  }
}

/** The fields of a stop other than its text. */
function oursOf(outcome: RunOutcome, form: StopForm): Record<string, unknown> {
  const { tail, stop } = outcome;
  if (stop === null) return {};
  if (tail !== null) return { ...tail.at(-1) };
  const { svc_event, svc_retry_at } = stoppedCompletion(outcome, form);
  return { ...(svc_event === undefined ? {} : { svc_event }), ...(svc_retry_at === undefined ? {} : { svc_retry_at }) };
}
