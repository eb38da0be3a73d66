import {
  type AnswerFrame,
  type AnswerIdentity,
  type ChatChunkChoice,
  type ChatCompletion,
  type ChatCompletionChunk,
  type ChatUsage,
  JsonCounter,
} from '@svc/contracts';
import { identityOf } from '../calls/answer-head.ts';
import type { PipelineRun } from '../core/pipeline-run.ts';
import type { PipelineEnv } from '../core/stage.ts';
import type { AnswerSink } from './answer-sink.ts';
import { AssembledMessage } from './assembled-message.ts';
import { PacedSink } from './paced-sink.ts';

type Delta = ChatChunkChoice['delta'];

/** The fields that every frame begins with. */
interface FrameHead extends AnswerIdentity {
  readonly object: 'chat.completion.chunk';
}

/** A piece of one choice that may be sent. */
export interface Piece {
  readonly index: number;
  readonly delta: Delta;
  readonly [field: string]: unknown;
}

/** Where pieces go. */
export interface PieceSink {
  send(choice: Piece): Promise<void>;
}

/** The response stream to a caller. */
export interface StreamTarget {
  readonly sink: AnswerSink;
  /** Whether the caller asked for `usage`. */
  readonly include_usage: boolean;
  /** Whether the answer is kept as it was sent. */
  readonly keep: boolean;
  /** The last frames, which are sent when the run's evidence is on disk; null until they exist. */
  tail: readonly AnswerFrame[] | null;
}

/** Sends released text as frames, no faster than the reader takes them, and holds the last frames until the evidence is on disk. */
export class FrameWriter {
  readonly #line: StreamTarget;
  /** What was sent of each choice; the message is joined only if it is kept. */
  readonly #choices = new Map<number, AssembledMessage>();
  readonly #counter = new JsonCounter();
  /** The choices of which text was sent. */
  readonly #heard = new Set<number>();
  readonly #head: FrameHead;
  readonly #paced: PacedSink;

  constructor(run: PipelineRun, line: StreamTarget, env: PipelineEnv) {
    this.#line = line;
    this.#paced = new PacedSink(run, line.sink, env);
    const { id, created, model } = identityOf(run, env.clock);
    this.#head = { id: `chatcmpl-${id}`, created, model, object: 'chat.completion.chunk' };
  }

  /** Whether anything was sent. */
  get begun(): boolean {
    return this.#paced.begun;
  }

  /** Sends a piece of one choice. `fields`: further fields of the frame that no guard has to check. */
  async send(choice: Piece, fields: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const { role: _, ...rest } = choice.delta;
    const message = this.#choices.get(choice.index);
    const delta: Delta = message === undefined ? { role: 'assistant', ...rest } : rest;
    const known = message ?? new AssembledMessage(this.#counter);
    if (message === undefined) this.#choices.set(choice.index, known);
    if (this.#line.keep) known.take(rest);
    if (rest.content != null && rest.content !== '') this.#heard.add(choice.index);
    const usage = this.#line.include_usage ? { usage: null } : {};
    await this.#paced.write({ ...fields, ...this.#head, choices: [{ ...choice, delta, finish_reason: null }], ...usage });
  }

  /** The last frames of a complete answer: how each choice ended, its usage, and the fields that were held. */
  ending(
    finish_reasons: ReadonlyMap<number, string | null>,
    usage: ChatUsage,
    fields: Readonly<Record<string, unknown>>,
  ): ChatCompletionChunk[] {
    const head = { ...fields, ...this.#head };
    const { include_usage } = this.#line;
    const frames: ChatCompletionChunk[] = [...finish_reasons].map(([index, finish_reason]) => ({
      ...head,
      // A choice without a finish reason ends with `stop`.
      choices: [
        {
          index,
          delta: this.#choices.has(index) ? {} : { role: 'assistant', content: '' },
          finish_reason: finish_reason ?? 'stop',
        },
      ],
      ...(include_usage ? { usage: null } : {}),
    }));
    return include_usage ? [...frames, { ...head, choices: [], usage }] : frames;
  }

  /** The last frame of an answer that a guard ended. A choice of which no text was sent has an empty `content`. */
  violation(late: boolean, usage: ChatUsage): ChatCompletionChunk {
    const begun = [...this.#choices.keys()];
    const deltaOf = (index: number): Delta => (this.#heard.has(index) ? {} : { content: '' });
    const choices =
      begun.length === 0
        ? [{ index: 0, delta: { role: 'assistant', content: '' } }]
        : begun.map((index) => ({ index, delta: deltaOf(index) }));
    return {
      ...this.#head,
      choices: choices.map((choice) => ({ ...choice, finish_reason: 'content_filter' })),
      ...(this.#line.include_usage ? { usage } : {}),
      svc_event: late ? 'late_violation' : 'stream_violation',
    };
  }

  /** The answer as it was sent, to be kept; null if it is not kept. */
  kept(finish_reasons: ReadonlyMap<number, string | null>, usage: ChatUsage): ChatCompletion | null {
    if (!this.#line.keep) return null;
    const choices = [...finish_reasons].map(([index, finish_reason]) => ({
      index,
      message: (this.#choices.get(index) ?? new AssembledMessage()).message(),
      finish_reason,
    }));
    return { ...this.#head, object: 'chat.completion', choices, usage };
  }
}
