import { type ChatMessage, isObject, type JsonObject, type JsonValue } from '@svc/sdk';
import { parseExact } from '@svc/sdk/json';
import { functionCallOf, type Lost, nameIn, unsupported } from '@svc/sdk/protocol';
import { continues, joined } from '../bodies/parts.ts';
import { partsOf } from './content-from-chat.ts';
import { OWN_ID, PartsFromChat } from './parts-from-chat.ts';
import { signedIn } from './signatures.ts';

interface Conversation {
  readonly system: JsonObject[];
  readonly contents: { readonly role: 'user' | 'model'; readonly parts: JsonObject[] }[];
}

/** Fields of a message that can be converted, by role. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  assistant: ['role', 'content', 'tool_calls', 'refusal', 'thinking_blocks', 'reasoning_content', 'reasoning'],
  tool: ['role', 'content', 'tool_call_id'],
};

/**
 * Splits a conversation into instructions and alternating turns.
 * @throws {ProviderError} `unsupported` for messages that the API does not support
 */
export function turnsFromChat(messages: readonly ChatMessage[], lost: Lost): Conversation {
  const [system, contents]: [Conversation['system'], Conversation['contents']] = [[], []];
  const names = new Map<string, string>();
  const say = (role: 'user' | 'model', parts: JsonObject[]): void => {
    const last = contents.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else if (parts.length > 0) contents.push({ role, parts });
  };
  for (const message of messages) {
    const known = FIELDS[message.role] ?? ['role', 'content'];
    lost.noteAll('messages', Object.fromEntries(Object.entries(message).filter(([name]) => !known.includes(name))));
    switch (message.role) {
      case 'system':
      case 'developer':
        system.push(...partsOf(message.content, lost));
        break;
      case 'user':
        say('user', partsOf(message.content, lost));
        break;
      case 'assistant':
        say('model', modelParts(message, names, lost));
        break;
      case 'tool':
        say('user', [resultOf(message, names, lost)]);
        break;
      default:
        throw unsupported('a role that the API does not support');
    }
  }
  if (contents.length === 0) throw unsupported('a conversation without messages');
  return { system, contents };
}

function modelParts(message: ChatMessage, names: Map<string, string>, lost: Lost): JsonObject[] {
  const { tool_calls, thinking_blocks, content } = message;
  for (const call of tool_calls ?? []) {
    const called = functionCallOf(call);
    if (called === null) throw unsupported('a tool call that does not call a function');
    names.set(called.id, called.name);
    const { id: _, type: __, function: ___, extra_content, ...rest } = call;
    lost.noteAll('messages.tool_calls', rest);
    if (isObject(extra_content)) {
      const { google: ____, ...others } = extra_content;
      lost.noteAll('messages.tool_calls.extra_content', others);
    }
  }
  if (Array.isArray(thinking_blocks) && signedIn(message).length < thinking_blocks.length)
    lost.note('messages', 'thinking_blocks');
  if (Array.isArray(content)) for (const part of content) noteBesideText(part, lost);
  const writer = new PartsFromChat();
  const calls = tool_calls?.map((call, index) => ({ ...call, index }));
  const parts: JsonObject[] = [];
  for (const part of [...writer.take({ ...message, tool_calls: calls }), ...writer.end()]) {
    const last = parts.at(-1);
    if (last !== undefined && 'thoughtSignature' in part && continues(last, part)) parts[parts.length - 1] = joined(last, part);
    else parts.push(part);
  }
  return parts;
}

/** Reports fields other than text in a part of a model's turn as lost. */
function noteBesideText(part: JsonValue, lost: Lost): void {
  if (!isObject(part)) return;
  const { type, text: _, refusal: __, ...rest } = part;
  if (type !== 'text' && type !== 'refusal') lost.note('messages.content', nameIn(type));
  else lost.noteAll('messages.content', rest);
}

function resultOf({ tool_call_id, content }: ChatMessage, names: ReadonlyMap<string, string>, lost: Lost): JsonObject {
  const name = typeof tool_call_id === 'string' ? names.get(tool_call_id) : undefined;
  if (typeof tool_call_id !== 'string' || name === undefined) throw unsupported('a tool result without a matching tool call');
  const texts = partsOf(content, lost).map((part) => {
    if (typeof part.text !== 'string') lost.note('messages', 'content');
    return typeof part.text === 'string' ? part.text : '';
  });
  const response = responseOf(texts.join(''));
  return { functionResponse: { ...(OWN_ID.test(tool_call_id) ? {} : { id: tool_call_id }), name, response } };
}

function responseOf(text: string): JsonObject {
  try {
    const value = /^\s*\{/.test(text) ? (parseExact(text) as JsonValue) : null;
    return isObject(value) ? value : { output: text };
  } catch {
    return { output: text };
  }
}
