import { type ChatMessage, JsonCounter, type ToolCall } from '@svc/sdk';
import { parseExact } from '../json/exact-json.ts';
import { callId } from './call-id.ts';
import { type Block, blocksOf } from './parts.ts';
import { refused, tooLarge } from './refused.ts';

interface Turn {
  readonly role: 'user' | 'assistant';
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

function toolUse({ id, type, function: called }: ToolCall, counter: JsonCounter): Block {
  if (type !== 'function' || called === undefined) throw refused('a tool call that is no function call');
  // The input's numbers may be JSON.rawJSON, which only JSON.stringify reads.
  return { type: 'tool_use', id: callId(id), name: called.name, input: inputOf(called.arguments, counter) as Block };
}

function toolResult({ tool_call_id }: ChatMessage, content: Block[]): Block {
  if (typeof tool_call_id !== 'string') throw refused('a tool result without the id of its call');
  return { type: 'tool_result', tool_use_id: callId(tool_call_id), ...(content.length > 0 && { content }) };
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);

/** Translated fields of a message, by its role. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  assistant: ['role', 'content', 'tool_calls', 'refusal'],
  tool: ['role', 'content', 'tool_call_id'],
};

function losesHints(message: ChatMessage): boolean {
  const known = FIELDS[message.role] ?? ['role', 'content'];
  return Object.entries(message).some(([field, value]) => !known.includes(field) && !isEmpty(value));
}

function assistantBlocks({ tool_calls, refusal, function_call }: ChatMessage, said: Block[], counter: JsonCounter): Block[] {
  if (!isEmpty(function_call)) throw refused('a function call in the form before tools');
  return [...said, ...blocksOf(refusal).blocks, ...(tool_calls ?? []).map((call) => toolUse(call, counter))];
}

/**
 * Splits a conversation into instructions and turns. Instructions (`system`, `developer`) are collected in order, wherever they stood: the
 * API has one place for them.
 * @throws {ProviderError} `invalid_request` for what the API does not support
 */
export function conversationOf(messages: readonly ChatMessage[]): Conversation {
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
        system.push(...said.blocks);
        break;
      case 'user':
        say('user', said.blocks);
        break;
      case 'assistant':
        say('assistant', assistantBlocks(message, said.blocks, counter));
        break;
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
