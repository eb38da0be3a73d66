import { type ChatMessage, JsonCounter, type ToolCall } from '@svc/sdk';
import { functionCallOf } from '@svc/toolkit/upstream';
import { parseExact } from '../json/exact-json.ts';
import { callId } from './call-id.ts';
import { type Block, blocksOf, cached } from './parts.ts';
import { refused, tooLarge } from './refused.ts';
import { thinkingOf } from './thinking.ts';

interface Turn {
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: Block[];
}

/** A conversation in the Messages API's form. */
export interface Conversation {
  readonly system: Block[];
  /** Roles alternate. */
  readonly messages: Turn[];
  /** Information other than texts, images, documents and tool calls was not translated, such as a `name`. */
  readonly hintsLost: boolean;
}

/** The arguments are written by a model, so they may be anything. The API requires an object. */
function inputOf(written: string, counter: JsonCounter): unknown {
  if (written.trim() === '') return {};
  if (!/^\s*\{/.test(written)) throw refused('arguments of a tool call that are no object');
  if (counter.text(written) !== null) throw tooLarge();
  try {
    return parseExact(written);
  } catch {
    throw refused('arguments of a tool call that are not JSON');
  }
}

function toolUse(call: ToolCall, counter: JsonCounter): Block {
  const called = functionCallOf(call);
  if (called === null) throw refused('a tool call that is no function call');
  // The input's numbers may be JSON.rawJSON, which only JSON.stringify reads.
  const input = inputOf(called.arguments, counter) as Block;
  return cached({ type: 'tool_use', id: callId(called.id), name: called.name, input }, call);
}

function toolResult(message: ChatMessage, content: Block[]): Block {
  const { tool_call_id } = message;
  if (typeof tool_call_id !== 'string') throw refused('a tool result without the id of its call');
  const result = { type: 'tool_result', tool_use_id: callId(tool_call_id), ...(content.length > 0 && { content }) };
  return cached(result, message);
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);

/** Translated fields of a message, by its role. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  assistant: ['role', 'content', 'tool_calls', 'refusal', 'thinking_blocks', 'reasoning_content', 'reasoning'],
  tool: ['role', 'content', 'tool_call_id', 'cache_control'],
};

function losesHints(message: ChatMessage): boolean {
  const known = FIELDS[message.role] ?? ['role', 'content'];
  return Object.entries(message).some(([field, value]) => !known.includes(field) && !isEmpty(value));
}

function assistantBlocks(message: ChatMessage, said: Block[], thought: Block[], counter: JsonCounter): Block[] {
  const { tool_calls, refusal, function_call } = message;
  if (!isEmpty(function_call)) throw refused('a function call in the form before tools');
  return [...thought, ...said, ...blocksOf(refusal).blocks, ...(tool_calls ?? []).map((call) => toolUse(call, counter))];
}

/**
 * Splits a conversation into instructions and turns. Instructions (`system`, `developer`) are collected in order, wherever they stood: most
 * models have one place for them. In a request in the words of the Messages API, those after a turn stay where they are.
 * @param inPlace whether it is one
 * @throws {ProviderError} `invalid_request` for what the API does not support
 */
export function conversationOf(messages: readonly ChatMessage[], inPlace = false): Conversation {
  const system: Block[] = [];
  const turns: Turn[] = [];
  let hintsLost = false;
  // Counts the arguments of all calls together.
  const counter = new JsonCounter();
  const say = (role: Turn['role'], content: Block[]): void => {
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...content);
    else if (content.length > 0) turns.push({ role, content: [...content] });
  };
  for (const message of messages) {
    const said = blocksOf(message.content);
    hintsLost ||= said.hintsLost || losesHints(message);
    switch (message.role) {
      case 'system':
      case 'developer':
        if (said.blocks.some(({ type }) => type !== 'text')) throw refused('instructions that are not text');
        if (inPlace && turns.length > 0) say('system', said.blocks);
        else system.push(...said.blocks);
        break;
      case 'user':
        say('user', said.blocks);
        break;
      case 'assistant': {
        const thought = thinkingOf(message);
        hintsLost ||= thought.lost;
        say('assistant', assistantBlocks(message, said.blocks, thought.blocks, counter));
        break;
      }
      case 'tool':
        say('user', [toolResult(message, said.blocks)]);
        break;
      default:
        throw refused('a role that the API has not');
    }
  }
  if (turns.length === 0) throw refused('a conversation in which nobody says anything');
  return { system, messages: turns, hintsLost };
}
