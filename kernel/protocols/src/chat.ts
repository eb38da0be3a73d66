import {
  type ChatCompletion,
  type ChatMessage,
  type ChatRequest,
  isObject,
  type Protocol,
  ProviderError,
  type RequestFacts,
} from '@svc/contracts';
import { CHAT_FRAMES } from './chat/frames/protocol-frames.ts';
import { withoutLogprobs } from './chat/logprobs.ts';
import { CHAT_ANSWER, CHAT_REQUEST } from './chat/tables.ts';
import { CHAT_TOOLS } from './chat/tools.ts';
import { withChatUsage } from './chat/usage.ts';
import { chatReason } from './common/finish-reason.ts';
import { says } from './common/json-shapes.ts';
import { RETRIEVED } from './common/origin.ts';
import { headOf, memberOf, parametersOf } from './common/traced.ts';
import { readUsage } from './usage/read-usage.ts';

/** OpenAI's chat format, with the extensions that vendors share. */
export const CHAT: Protocol = {
  id: 'openai.chat',
  request: CHAT_REQUEST,
  answer: CHAT_ANSWER,
  turnsOf: (body) => (body as ChatRequest).messages,
  withTurns: (body, messages) => ({ ...body, messages }),
  rolesOf: (body) => (body as ChatRequest).messages.map(({ role }) => role),
  addText: (body, at, content) => (body as ChatRequest).messages.splice(at, 0, { role: 'user', content, ...RETRIEVED }),
  factsOf: (body) => factsOf(body as ChatRequest),
  parametersOf: (body) => parametersOf(body, body.reasoning_effort ?? memberOf(body.reasoning, 'effort')),
  headOf,
  readAnswer: (value) => {
    if (!isCompletion(value)) throw new ProviderError('malformed');
    for (const choice of value.choices) choice.finish_reason = chatReason(choice.finish_reason, says(choice.message.tool_calls));
    return value;
  },
  readIn: (body) => (body as ChatRequest).messages.map(withoutThinking),
  outcomeOf: (answer) => {
    const { choices, usage } = answer as ChatCompletion;
    return { finish_reason: choices[0]?.finish_reason ?? null, usage: readUsage(usage) };
  },
  textOf: (answer) => {
    const content = (answer as ChatCompletion).choices[0]?.message.content;
    return typeof content === 'string' ? content : '';
  },
  contentOf: (answer) => (answer as ChatCompletion).choices.map(({ message }) => message),
  writtenIn: (answer) => {
    const written = (answer as ChatCompletion).choices.map(({ message: { role: _, audio: __, ...fields } }) =>
      withoutThinking(fields),
    );
    return written.some(isWritten) ? written : null;
  },
  checkable: withoutLogprobs,
  withUsage: withChatUsage,
  withHead: (answer, { id, created, model }) => {
    const object = answer.object === 'chat.completion.chunk' ? answer.object : 'chat.completion';
    return { ...answer, id: `chatcmpl-${id}`, object, created, model };
  },
  turnsOfAnswer: (answer) => {
    const [choice] = (answer as ChatCompletion).choices;
    return choice === undefined ? [] : [turnOf(choice.message)];
  },
  tools: CHAT_TOOLS,
  frames: CHAT_FRAMES,
  bridge: null,
};

function factsOf({ n, max_completion_tokens, max_tokens, response_format }: ChatRequest): RequestFacts {
  return {
    answers: Number.isInteger(n) && n !== undefined && n > 0 ? n : 1,
    max_output_tokens: mostOutput(max_completion_tokens, max_tokens),
    wantsJson: isObject(response_format) && response_format.type !== 'text',
  };
}

/** Uses the larger of two limits, because providers differ in which one they apply. A limit that a guard masked is text and does not count. */
function mostOutput(one: unknown, other: unknown): number | null {
  if (typeof one !== 'number') return typeof other === 'number' ? other : null;
  return typeof other === 'number' ? Math.max(one, other) : one;
}

/** Checks the fields that egress relies on. Providers are plugins, so an answer may have any form. */
function isCompletion(value: unknown): value is ChatCompletion {
  return isObject(value) && Array.isArray(value.choices) && value.choices.every((choice: unknown) => isChoice(choice));
}

function isChoice(choice: unknown): boolean {
  if (!isObject(choice) || !isObject(choice.message)) return false;
  const { tool_calls } = choice.message;
  return tool_calls == null || (Array.isArray(tool_calls) && tool_calls.every(isObject));
}

/**
 * An answer as a message of the next request, with only the fields that a model accepts back. Stored conversations depend on this form, so changing
 * it changes their meaning.
 */
function turnOf({ content, refusal, tool_calls, thinking_blocks, reasoning_details }: ChatMessage): ChatMessage {
  const all = Object.entries({ refusal, tool_calls, thinking_blocks, reasoning_details });
  const kept = Object.fromEntries(all.filter(([, value]) => value != null));
  return { role: 'assistant', content: content ?? ('tool_calls' in kept || 'refusal' in kept ? null : ''), ...kept };
}

/** Drops vendor-only values. Their text is also in other fields, or is not needed once the answer is complete. */
function withoutThinking(message: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { thinking_blocks: _, reasoning_details: __, ...counted } = message;
  return counted;
}

function isWritten(fields: object): boolean {
  return Object.values(fields).some((value: unknown) =>
    typeof value === 'string' || Array.isArray(value) ? value.length > 0 : value != null,
  );
}
