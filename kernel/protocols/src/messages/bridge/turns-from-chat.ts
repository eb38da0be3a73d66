import { type ChatMessage, JsonCounter, type ToolCall } from '@svc/contracts';
import { functionCallOf, objectArguments } from '../../common/function-call.ts';
import { says } from '../../common/json-shapes.ts';
import type { Lost } from '../../common/lost.ts';
import { unsupported } from '../../upstream-error/index.ts';
import { callId } from './call-id.ts';
import { type Block, blocksFromChat, cached } from './parts-from-chat.ts';
import { thinkingFromChat } from './thinking-from-chat.ts';

interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: Block[];
}

/** A conversation for the Messages API. The roles of its turns alternate. */
export interface Conversation {
  readonly system: Block[];
  readonly messages: Turn[];
}

/**
 * Splits a conversation into instructions and turns. Instructions (`system`, `developer`) are collected from the whole conversation, in order,
 * because most models accept them only in one place.
 * @throws {ProviderError} `unsupported` for messages that the API does not support
 */
export function turnsFromChat(messages: readonly ChatMessage[], lost: Lost): Conversation {
  const system: Block[] = [];
  const turns: Turn[] = [];
  // Limits the arguments of all calls together.
  const counter = new JsonCounter();
  const say = (role: Turn['role'], content: Block[]): void => {
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...content);
    else if (content.length > 0) turns.push({ role, content: [...content] });
  };
  for (const message of messages) {
    const said = blocksFromChat(message.content, lost);
    lost.noteAll('messages', restOf(message));
    switch (message.role) {
      case 'system':
      case 'developer':
        if (said.some(({ type }) => type !== 'text')) throw unsupported('instructions that are not text');
        system.push(...said);
        break;
      case 'user':
        say('user', said);
        break;
      case 'assistant':
        say('assistant', assistantBlocks(message, said, thinkingFromChat(message, lost), counter, lost));
        break;
      case 'tool':
        say('user', [toolResult(message, said)]);
        break;
      default:
        throw unsupported('a role that the API does not support');
    }
  }
  if (turns.length === 0) throw unsupported('a conversation without messages');
  return { system, messages: turns };
}

/** Fields of a message that are converted, by role. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  assistant: ['role', 'content', 'tool_calls', 'refusal', 'thinking_blocks', 'reasoning_content', 'reasoning', 'function_call'],
  tool: ['role', 'content', 'tool_call_id', 'cache_control'],
};

function restOf(message: ChatMessage): object {
  const known = FIELDS[message.role] ?? ['role', 'content'];
  return Object.fromEntries(Object.entries(message).filter(([name]) => !known.includes(name)));
}

function assistantBlocks(message: ChatMessage, said: Block[], thought: Block[], counter: JsonCounter, lost: Lost): Block[] {
  const { tool_calls, refusal, function_call } = message;
  if (says(function_call)) throw unsupported('a function_call, which tool_calls replaced');
  return [
    ...thought,
    ...said,
    ...blocksFromChat(refusal, lost),
    ...(tool_calls ?? []).map((call) => toolUse(call, counter, lost)),
  ];
}

function toolUse(call: ToolCall, counter: JsonCounter, lost: Lost): Block {
  const called = functionCallOf(call);
  if (called === null) throw unsupported('a tool call that does not call a function');
  const { id: _, type: __, function: ___, cache_control: ____, index: _____, ...rest } = call;
  lost.noteAll('messages.tool_calls', rest);
  return cached({ type: 'tool_use', id: callId(called.id), name: called.name, input: objectArguments(called, counter) }, call);
}

function toolResult(message: ChatMessage, content: Block[]): Block {
  const { tool_call_id } = message;
  if (typeof tool_call_id !== 'string') throw unsupported('a tool result without tool_call_id');
  const result: Block = { type: 'tool_result', tool_use_id: callId(tool_call_id), ...(content.length > 0 && { content }) };
  return cached(result, message);
}
