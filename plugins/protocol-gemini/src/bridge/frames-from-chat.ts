import { type ChatCompletion, type ChatCompletionChunk, type ChatUsage, isObject, type JsonObject } from '@svc/sdk';
import {
  type AnswerBody,
  type AnswerFrame,
  endedEarly,
  type FrameBridge,
  finishReason,
  isKnownName,
  Lost,
  NO_TOKENS,
  noteChatOnly,
  readUsage,
} from '@svc/sdk/protocol';
import type { ChatChunkChoice } from '@svc/sdk/provider';
import { ownReason, usageOf } from '../bodies/facts.ts';
import { Gatherer } from '../bodies/gatherer.ts';
import { PartsFromChat } from './parts-from-chat.ts';

/** Converts the chunks of a chat completion to frames. */
export class FramesFromChat implements FrameBridge<ChatCompletionChunk, AnswerFrame> {
  readonly #answers = new Map<number, { readonly parts: PartsFromChat; reason: string | null }>();
  readonly #lost = new Lost(isKnownName);
  readonly #left = new Set<string>();
  #head: object = {};
  #usage: ChatUsage | null = null;

  take({ id, model, choices, usage, svc_left_out }: ChatCompletionChunk): readonly AnswerFrame[] {
    this.#head = { modelVersion: model, responseId: id };
    this.#usage = usage ?? this.#usage;
    for (const path of svc_left_out ?? []) this.#left.add(path);
    return choices.flatMap((choice) => {
      const { index, delta, finish_reason } = choice;
      const answer = this.#answers.get(index) ?? { parts: new PartsFromChat(), reason: null };
      this.#answers.set(index, answer);
      answer.reason = finish_reason ?? answer.reason;
      this.#noteLost(choice);
      return answer.parts.take(delta).map((part) => this.#frame([part], index));
    });
  }

  end(): readonly AnswerFrame[] {
    if (this.#answers.size === 0) throw endedEarly();
    const candidates = [...this.#answers].map(([index, { parts, reason }]) => ({
      content: { parts: parts.end(), role: 'model' },
      finishReason: ownReason(finishReason(reason, false)),
      index,
    }));
    const left = [...this.#left, ...this.#lost.paths];
    const usageMetadata = usageOf(readUsage(this.#usage) ?? NO_TOKENS);
    return [{ candidates, usageMetadata, ...this.#head, ...(left.length > 0 && { svc_left_out: left }) }];
  }

  #frame(parts: JsonObject[], index: number): AnswerFrame {
    return { candidates: [{ content: { parts, role: 'model' }, index }], ...this.#head };
  }

  #noteLost(choice: ChatChunkChoice): void {
    noteChatOnly(choice, this.#lost);
    const { thinking_blocks } = choice.delta;
    const isUnsigned = (block: unknown): boolean => !isObject(block) || typeof block.thinking !== 'string';
    if (Array.isArray(thinking_blocks) && thinking_blocks.some(isUnsigned)) this.#lost.note('choices.message', 'thinking_blocks');
  }
}

/** A whole answer. It equals the result of its frames. */
export function answerFromChat({ choices, usage, ...head }: ChatCompletion): AnswerBody {
  const chunk = {
    ...head,
    object: 'chat.completion.chunk',
    choices: choices.map(({ message, ...choice }) => ({
      ...choice,
      delta: { ...message, tool_calls: message.tool_calls?.map((call, index) => ({ ...call, index })) },
    })),
    usage: usage ?? null,
  } as ChatCompletionChunk;
  const frames = new FramesFromChat();
  const gatherer = new Gatherer();
  for (const frame of [...frames.take(chunk), ...frames.end()]) gatherer.take(frame);
  return gatherer.answer();
}
