import {
  type AnswerFrame,
  type ChatChunkChoice,
  type ChatCompletionChunk,
  type ChatUsage,
  type FrameBridge,
  isObject,
  type RequestBody,
} from '@svc/contracts';
import { joinedText } from '../../chat/frames/whole-frames.ts';
import { noteChatOnly } from '../../common/chat-fields.ts';
import { finishReason } from '../../common/finish-reason.ts';
import { isText } from '../../common/json-shapes.ts';
import { Lost } from '../../common/lost.ts';
import { isKnownName, knownPath } from '../../names/known-path.ts';
import { endedEarly } from '../../upstream-error/index.ts';
import { readIn } from '../request.ts';
import { stopReason } from '../stop-reason.ts';
import { usageFromChat } from '../usage.ts';
import { BlocksFromChat } from './blocks-from-chat.ts';
import { CallsFromChat } from './calls-from-chat.ts';
import { estimateTokens } from './estimate-tokens.ts';

/** Converts the chunks of a chat completion to frames. Uses only the first choice. */
export class FramesFromChat implements FrameBridge<ChatCompletionChunk, AnswerFrame> {
  readonly #blocks = new BlocksFromChat();
  readonly #calls = new CallsFromChat();
  readonly #lost = new Lost(isKnownName);
  /** Paths that the chunks report as lost. */
  readonly #left = new Set<string>();
  readonly #asked: RequestBody | null;
  #isBegun = false;
  #finish_reason: string | null = null;
  #usage: ChatUsage | null = null;
  #refusal = '';

  /** @param asked the request, whose tokens are estimated until the upstream reports usage; null if the upstream reports usage first */
  constructor(asked: RequestBody | null) {
    this.#asked = asked;
  }

  get held(): number {
    return this.#calls.held + this.#blocks.held;
  }

  take(chunk: ChatCompletionChunk): readonly AnswerFrame[] {
    const { choices, usage, svc_left_out } = chunk;
    this.#usage = usage ?? this.#usage;
    for (const path of svc_left_out ?? []) this.#left.add(knownPath(path));
    const frames = this.#isBegun ? [] : [this.#begin(chunk)];
    const choice = choices.find(({ index }) => index === 0);
    if (choice === undefined) return frames;
    this.#finish_reason = choice.finish_reason ?? this.#finish_reason;
    const delta = joined(choice.delta, this.#lost);
    if (isText(delta.refusal)) this.#refusal += delta.refusal;
    this.#calls.take(delta.tool_calls ?? []);
    noteChatOnly(choice, this.#lost);
    return [...frames, ...this.#blocks.take(delta)];
  }

  end(): readonly AnswerFrame[] {
    if (!this.#isBegun) throw endedEarly();
    const closed = [...this.#blocks.close()];
    const left = [...this.#left, ...this.#lost.paths];
    return [
      ...closed,
      ...this.#calls.frames(this.#blocks.count),
      {
        type: 'message_delta',
        delta: this.#ending,
        usage: usageFromChat(this.#usage),
        ...(left.length > 0 && { svc_left_out: left }),
      },
      { type: 'message_stop' },
    ];
  }

  #begin({ id, model }: ChatCompletionChunk): AnswerFrame {
    this.#isBegun = true;
    const message = {
      id: `msg_${id.replace(/^chatcmpl-/, '')}`,
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      usage: this.#usage === null ? { ...usageFromChat(null), input_tokens: this.#estimate } : usageFromChat(this.#usage),
    };
    return { type: 'message_start', message };
  }

  get #estimate(): number {
    return this.#asked === null ? 0 : estimateTokens([readIn(this.#asked), this.#asked.tools]);
  }

  get #ending() {
    const reason = this.#refusal === '' ? finishReason(this.#finish_reason, this.#calls.count > 0) : 'content_filter';
    const stop_reason = stopReason(reason === 'tool_calls' && this.#calls.count === 0 ? 'stop' : reason, false);
    const isRefused = stop_reason === 'refusal';
    const stop_details = isRefused ? { type: 'refusal', category: null, explanation: this.#refusal || null } : null;
    return { stop_reason, stop_sequence: null, stop_details };
  }
}

/** A whole answer may have its content in parts. */
function joined(delta: ChatChunkChoice['delta'], lost: Lost): ChatChunkChoice['delta'] {
  const parts: unknown = delta.content;
  if (!Array.isArray(parts)) return delta;
  if (parts.some((part) => !isObject(part) || part.type !== 'text')) lost.note('choices.message', 'content');
  return { ...delta, content: joinedText(parts) };
}
