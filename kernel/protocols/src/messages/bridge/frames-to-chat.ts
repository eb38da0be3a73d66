import {
  type AnswerFrame,
  type AnswerIdentity,
  type ChatChunkChoice,
  type ChatCompletionChunk,
  type FrameBridge,
  isObject,
  type JsonValue,
} from '@svc/contracts';
import { usageToChat } from '../../chat/usage.ts';
import { isCount } from '../../common/count.ts';
import { finishReason } from '../../common/finish-reason.ts';
import { Lost } from '../../common/lost.ts';
import { MESSAGES_NAMES } from '../../names/messages.ts';
import { endedEarly, malformed, reportedError } from '../../upstream-error/index.ts';
import { StreamedUsage } from '../usage.ts';
import { headIn, noteEnding } from './answer-to-chat.ts';
import { BlocksToChat } from './blocks-to-chat.ts';

/** Converts the frames of a message to chunks. */
export class FramesToChat implements FrameBridge<AnswerFrame, ChatCompletionChunk> {
  #head: AnswerIdentity;
  #isBegun = false;
  #isComplete = false;
  #stop_reason: unknown = null;
  readonly #usage = new StreamedUsage();
  readonly #lost = new Lost((name) => MESSAGES_NAMES.has(name));
  readonly #blocks = new BlocksToChat(this.#lost);

  constructor(identity: AnswerIdentity) {
    this.#head = identity;
  }

  get held(): number {
    return this.#blocks.held;
  }

  /** Unknown events and `ping` add nothing. */
  take(frame: AnswerFrame): readonly ChatCompletionChunk[] {
    if (this.#isComplete) return [];
    switch (frame.type) {
      case 'error':
        throw reportedError(frame.error as JsonValue | undefined);
      case 'message_start':
        return this.#start(frame.message);
      case 'content_block_start':
        return this.#deltas(this.#blocks.start(this.#indexOf(frame), frame.content_block));
      case 'content_block_delta':
        return this.#deltas(this.#blocks.grow(this.#indexOf(frame), frame.delta));
      case 'content_block_stop':
        return this.#deltas(this.#blocks.stop(this.#indexOf(frame)));
      case 'message_delta':
        if (isObject(frame.delta)) {
          this.#stop_reason = frame.delta.stop_reason ?? this.#stop_reason;
          noteEnding(frame.delta, this.#lost);
        }
        this.#usage.take(frame.usage);
        return [];
      case 'message_stop':
        return this.#stop();
      default:
        return [];
    }
  }

  end(): readonly ChatCompletionChunk[] {
    if (!this.#isComplete) throw endedEarly();
    return [];
  }

  #chunk(choices: ChatChunkChoice[]): ChatCompletionChunk {
    return { ...this.#head, object: 'chat.completion.chunk', choices };
  }

  #deltas(deltas: ChatChunkChoice['delta'][]): ChatCompletionChunk[] {
    return deltas.map((delta) => this.#chunk([{ index: 0, delta, finish_reason: null }]));
  }

  #start(message: unknown): ChatCompletionChunk[] {
    if (!isObject(message) || this.#isBegun) throw malformed('a stream that does not start with message_start');
    this.#isBegun = true;
    this.#head = headIn(message, this.#head);
    this.#usage.take(message.usage);
    const usage = usageToChat(this.#usage.whole);
    // The first chunk contains usage: if the stream breaks off, no other usage is known.
    return this.#deltas([{ role: 'assistant' }]).map((chunk) => ({ ...chunk, ...(usage !== undefined && { usage }) }));
  }

  #indexOf({ index }: AnswerFrame): number {
    if (!this.#isBegun || !isCount(index)) throw malformed('a content block outside of a message');
    return index;
  }

  #stop(): ChatCompletionChunk[] {
    if (!this.#isBegun) throw malformed('an end without a message');
    this.#isComplete = true;
    const last = {
      ...this.#chunk([{ index: 0, delta: {}, finish_reason: finishReason(this.#stop_reason, this.#blocks.hasCalls) }]),
      ...(this.#lost.paths.length > 0 && { svc_left_out: this.#lost.paths }),
    };
    const usage = usageToChat(this.#usage.whole);
    return usage === undefined ? [last] : [last, { ...this.#chunk([]), usage }];
  }
}
