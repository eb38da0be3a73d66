import type { ChatCompletion, ChatCompletionChunk, JsonObject } from '@svc/sdk';
import {
  type AnswerBody,
  type AnswerFrame,
  type AnswerIdentity,
  endedEarly,
  type FrameBridge,
  finishReason,
  Lost,
  objectsIn,
  usageToChat,
} from '@svc/sdk/protocol';
import { readAnswer, readWhole } from '../bodies/answer.ts';
import { NAMES } from '../bodies/names.ts';
import { partsIn } from '../bodies/parts.ts';
import { MessageToChat } from './message-to-chat.ts';

const SAID_IN_CHAT: ReadonlySet<unknown> = new Set(['STOP', 'MAX_TOKENS', 'SAFETY']);

/** The state of one candidate while its frames are read. */
interface CandidateState {
  readonly said: MessageToChat;
  reason: string | null;
}

/** Converts the frames of an answer to chunks. */
export class FramesToChat implements FrameBridge<AnswerFrame, ChatCompletionChunk> {
  readonly #identity: AnswerIdentity;
  readonly #lost = new Lost((name) => NAMES.has(name));
  readonly #answers = new Map<number, CandidateState>();
  #usage: unknown = null;
  #isBlocked = false;

  constructor(identity: AnswerIdentity) {
    this.#identity = identity;
  }

  take(frame: AnswerFrame): readonly ChatCompletionChunk[] {
    const { candidates, usageMetadata, promptFeedback } = readAnswer({ ...frame, candidates: frame.candidates ?? [] });
    this.#usage = usageMetadata ?? this.#usage;
    if (promptFeedback != null && Object(promptFeedback).blockReason != null) {
      this.#isBlocked = true;
      this.#lost.note('', 'promptFeedback');
    }
    return objectsIn(candidates).flatMap((candidate) => this.#take(candidate));
  }

  end(): readonly ChatCompletionChunk[] {
    if (this.#isBlocked && this.#answers.size === 0) this.#answerOf(0).reason = 'content_filter';
    const all = [...this.#answers];
    if (all.length === 0 || all.some(([, { reason }]) => reason === null)) throw endedEarly();
    const usage = usageToChat(this.#usage);
    const choices = all.map(([index, { reason }]) => ({ index, delta: {}, finish_reason: reason }));
    const left = this.#lost.paths.length > 0 ? { svc_left_out: this.#lost.paths } : {};
    return [{ ...this.#chunk(choices), ...left }, ...(usage === undefined ? [] : [{ ...this.#chunk([]), usage }])];
  }

  /** The whole answer, when all frames have been read. */
  completion(): ChatCompletion {
    const ended = this.end();
    const [last] = ended;
    const choices = (last?.choices ?? []).map(({ index, finish_reason }) => ({
      index,
      message: this.#answerOf(index).said.message('answer'),
      logprobs: null,
      finish_reason,
    }));
    const usage = usageToChat(this.#usage);
    const { svc_left_out } = last ?? {};
    return {
      ...this.#identity,
      object: 'chat.completion',
      choices,
      ...(usage !== undefined && { usage }),
      ...(svc_left_out !== undefined && { svc_left_out }),
    };
  }

  #answerOf(index: number): CandidateState {
    const short = this.#identity.id.slice(-12);
    const idOf = (call: number): string => `call_${short}_${index === 0 ? '' : `${index}_`}${call}`;
    const answer = this.#answers.get(index) ?? {
      said: new MessageToChat(this.#lost, 'candidates.content.parts', idOf),
      reason: null,
    };
    this.#answers.set(index, answer);
    return answer;
  }

  #take({ content, index: given, finishReason: reason, ...rest }: JsonObject): ChatCompletionChunk[] {
    const index = typeof given === 'number' ? given : 0;
    const isNew = !this.#answers.has(index);
    const answer = this.#answerOf(index);
    const { safetyRatings: _, avgLogprobs: __, tokenCount: ___, ...others } = rest;
    this.#lost.noteAll('candidates', others);
    const deltas: Record<string, unknown>[] = isNew ? [{ role: 'assistant' }] : [];
    for (const part of partsIn(content)) {
      const delta = answer.said.take(part);
      if (Object.keys(delta).length > 0) deltas.push({ ...delta });
    }
    if (reason != null) {
      answer.reason = finishReason(reason, answer.said.calls.length > 0);
      if (!SAID_IN_CHAT.has(reason)) this.#lost.note('candidates', 'finishReason');
    }
    return deltas.map((delta) => this.#chunk([{ index, delta, finish_reason: null }]));
  }

  #chunk(choices: ChatCompletionChunk['choices']): ChatCompletionChunk {
    return { ...this.#identity, object: 'chat.completion.chunk', choices };
  }
}

/**
 * A whole answer as a chat completion. `svc_left_out` lists what the chat format cannot express.
 * @throws {ProviderError} `malformed`
 */
export function answerToChat(answer: AnswerBody, identity: AnswerIdentity): ChatCompletion {
  const frames = new FramesToChat(identity);
  frames.take(readWhole(answer));
  return frames.completion();
}
