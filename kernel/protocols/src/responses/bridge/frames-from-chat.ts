import {
  type AnswerBody,
  type AnswerFrame,
  type ChatCompletion,
  type ChatCompletionChunk,
  type ChatMessage,
  type ChatUsage,
  type FrameBridge,
  isObject,
  JSON_VALUE_BYTES,
  type RequestBody,
} from '@svc/contracts';
import { objectsIn } from '../../common/json-shapes.ts';
import { Lost } from '../../common/lost.ts';
import { endedEarly } from '../../upstream-error/index.ts';
import { begunResponse } from '../settings.ts';
import { ENCRYPTED } from './request-to-chat.ts';
import { type ResponseWishes, ResponseWriter } from './response-writer.ts';
import { ToolsToChat } from './tools-to-chat.ts';

/** Converts the chunks of a chat answer to frames of a response. */
export class FramesFromChat implements FrameBridge<ChatCompletionChunk, AnswerFrame> {
  readonly #asked: RequestBody;
  #writer: ResponseWriter | null = null;
  #finish_reason: string | null = null;
  #usage: ChatUsage | null = null;
  readonly #left_out = new Set<string>();
  held = 0;

  constructor(asked: RequestBody) {
    this.#asked = asked;
  }

  take({ id, created, model, choices, usage, svc_left_out }: ChatCompletionChunk): readonly AnswerFrame[] {
    const frames: AnswerFrame[] = [];
    if (this.#writer === null) {
      this.#writer = writerOf(this.#asked, { id, created, model });
      frames.push(...this.#writer.open());
    }
    this.#usage = usage ?? this.#usage;
    for (const path of svc_left_out ?? []) this.#left_out.add(path);
    const choice = choices.find(({ index }) => index === 0);
    if (choice === undefined) return frames;
    this.#finish_reason = choice.finish_reason ?? this.#finish_reason;
    const written = this.#writer.take(choice.delta);
    // Items repeat their texts when they end.
    for (const { delta } of written) if (typeof delta === 'string') this.held += delta.length + JSON_VALUE_BYTES;
    return [...frames, ...written];
  }

  end(): readonly AnswerFrame[] {
    if (this.#writer === null) throw endedEarly();
    return this.#writer.close(this.#finish_reason, this.#usage, [...this.#left_out]);
  }
}

/** A whole response. It equals the result of its frames. */
export function answerFromChat(completion: ChatCompletion, asked: RequestBody): AnswerBody {
  const { choices, usage, svc_left_out = [] } = completion;
  const writer = writerOf(asked, completion);
  const [choice] = choices;
  if (choice !== undefined) writer.take(deltaOf(choice.message));
  const last = writer.close(choice?.finish_reason ?? null, usage ?? null, svc_left_out).at(-1);
  const left_out = last !== undefined && 'svc_left_out' in last ? { svc_left_out: last.svc_left_out } : {};
  return { ...(isObject(last?.response) && last.response), ...left_out };
}

function writerOf(asked: RequestBody, head: { id: string; created: number; model: string }): ResponseWriter {
  const id = head.id.replace(/^chatcmpl-/, '');
  return new ResponseWriter(id, begunResponse(asked, { ...head, id }), wishesOf(asked));
}

/** The functions in namespaces have the same names as in the chat request that was made from this request. */
function wishesOf({ include, tools }: RequestBody): ResponseWishes {
  const named = new ToolsToChat(new Lost(() => false));
  for (const tool of objectsIn(tools)) if (tool.type === 'namespace') named.take([tool], 'body/tools');
  return { spaced: named.spaced, encrypted: Array.isArray(include) && include.includes(ENCRYPTED) };
}

/** A whole message as one delta, with tool calls numbered as in a stream. */
function deltaOf({ content, tool_calls, ...message }: ChatMessage): ChatCompletionChunk['choices'][number]['delta'] {
  const parts = Array.isArray(content) ? objectsIn(content) : [];
  const refused = parts.flatMap(({ refusal }) => (typeof refusal === 'string' ? [refusal] : [])).join('');
  return {
    ...message,
    content: Array.isArray(content)
      ? parts.map(({ text }) => (typeof text === 'string' ? text : '')).join('')
      : (content ?? null),
    ...(refused !== '' && { refusal: `${message.refusal ?? ''}${refused}` }),
    ...(tool_calls != null && { tool_calls: tool_calls.map((call, index) => ({ ...call, index })) }),
  };
}
