import {
  type AnswerBody,
  type AnswerFrame,
  type ChatChunkChoice,
  type ChatCompletion,
  type ChatMessage,
  isObject,
} from '@svc/contracts';
import { withoutGatewayFields } from '../../common/gateway-fields.ts';

/** A whole answer as chunks: each message is a single piece. */
export function* framesOf(answer: AnswerBody): Generator<AnswerFrame> {
  const { choices, usage, ...fields } = answer as ChatCompletion;
  const head = { ...withoutGatewayFields(fields), object: 'chat.completion.chunk' };
  for (const { message, finish_reason, ...choice } of choices) {
    yield { ...head, choices: [{ ...choice, delta: deltaOf(message), finish_reason: null }] };
    yield { ...head, choices: [{ index: choice.index, delta: {}, finish_reason }] };
  }
  if (usage !== undefined) yield { ...head, choices: [], usage };
}

/** A whole message as one delta: all fields, with tool calls numbered as in a stream. */
export function deltaOf({ content, tool_calls, ...message }: ChatMessage): ChatChunkChoice['delta'] {
  return {
    ...message,
    content: joinedText(content),
    ...(tool_calls == null ? {} : { tool_calls: tool_calls.map((call, index) => ({ ...call, index })) }),
  };
}

/** A delta's content is a single text, so the parts are joined as a reader of the stream would do. */
export function joinedText(content: ChatMessage['content']): string | null {
  if (!Array.isArray(content)) return content ?? null;
  return content.map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : '')).join('');
}
