import { type ChatMessage, isObject, type JsonObject, type ToolCall } from '@svc/contracts';
import { functionCallOf } from '../../common/function-call.ts';
import { objectsIn } from '../../common/json-shapes.ts';
import type { Lost } from '../../common/lost.ts';
import { ITEM_TYPES } from '../../names/responses.ts';
import { unsupported } from '../../upstream-error/index.ts';
import { reasoningItems } from './reasoning.ts';

/** Fields of a message that can be converted, by role. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  assistant: [
    'role',
    'content',
    'refusal',
    'tool_calls',
    'reasoning_details',
    'reasoning_content',
    'thinking_blocks',
    'vendor_calls',
    // The sources of an answer are converted with its text.
    'annotations',
  ],
  tool: ['role', 'content', 'tool_call_id'],
};

/**
 * The messages of a conversation as items.
 * @throws {ProviderError} `unsupported` for messages that the API does not accept
 */
export function itemsFromChat(messages: readonly ChatMessage[], lost: Lost): JsonObject[] {
  /** Ids of custom tool calls. The results of these calls are items of a different type. */
  const custom = new Set<string>();
  return messages.flatMap((message) => {
    const known = FIELDS[message.role] ?? ['role', 'content'];
    lost.noteAll('messages', Object.fromEntries(Object.entries(message).filter(([name]) => !known.includes(name))));
    switch (message.role) {
      case 'system':
      case 'developer':
      case 'user':
        return [{ type: 'message', role: message.role, content: contentOf(message.content, lost) }];
      case 'assistant':
        return turnOf(message, custom, lost);
      case 'tool':
        return [resultOf(message, custom, lost)];
      default:
        throw unsupported('a role that the API does not support');
    }
  });
}

function turnOf(message: ChatMessage, custom: Set<string>, lost: Lost): JsonObject[] {
  const reasoning = reasoningItems(message);
  for (const name of reasoning.lost) lost.note('messages', name);
  const calls = (message.tool_calls ?? []).map((call) => {
    if (call.type === 'custom') custom.add(call.id);
    return callOf(call, lost);
  });
  return [...reasoning.items, ...vendorItems(message.vendor_calls, lost), ...messageItems(message, lost), ...calls];
}

/** Calls of vendors' tools are already in the form of items. Unknown ones are lost. */
function vendorItems(calls: unknown, lost: Lost): JsonObject[] {
  return objectsIn(calls).flatMap((call) => {
    if (typeof call.type === 'string' && ITEM_TYPES.has(call.type)) return [call];
    lost.note('messages', 'vendor_calls');
    return [];
  });
}

function contentOf(content: ChatMessage['content'], lost: Lost): string | JsonObject[] {
  return Array.isArray(content) ? content.map((part) => partOf(part, lost)) : (content ?? '');
}

function partOf(part: unknown, lost: Lost): JsonObject {
  if (!isObject(part)) throw unsupported('a content part that is not an object');
  const { type, text, image_url, file, ...rest } = part;
  lost.noteAll('messages.content', rest);
  switch (type) {
    case 'text':
      return { type: 'input_text', text: text ?? '' };
    case 'image_url': {
      if (!isObject(image_url)) throw unsupported('an image without a URL');
      const { url, detail, ...more } = image_url;
      lost.noteAll('messages.content.image_url', more);
      return { type: 'input_image', image_url: url ?? null, detail: detail ?? 'auto' };
    }
    case 'file':
      if (!isObject(file)) throw unsupported('a file that is not an object');
      return { type: 'input_file', ...file };
    default:
      throw unsupported('a content part that is not text, an image or a file');
  }
}

/** A model's text as one item. None if the text is empty. */
function messageItems({ content, refusal }: ChatMessage, lost: Lost): JsonObject[] {
  const parts = typeof content === 'string' ? (content === '' ? [] : [{ type: 'text', text: content }]) : (content ?? []);
  const said: readonly unknown[] = [...parts, ...(typeof refusal === 'string' ? [{ type: 'refusal', refusal }] : [])];
  const items = said.map((part): JsonObject => {
    const { type, text, refusal: refused, ...rest } = isObject(part) ? part : {};
    lost.noteAll('messages.content', rest);
    if (type === 'text') return { type: 'output_text', text: text ?? '' };
    if (type === 'refusal') return { type: 'refusal', refusal: refused ?? '' };
    throw unsupported('a part of an answer that is not text or a refusal');
  });
  return items.length === 0 ? [] : [{ type: 'message', role: 'assistant', content: items }];
}

function callOf(call: ToolCall, lost: Lost): JsonObject {
  const { id, type, function: _, custom, index: __, ...rest } = call;
  lost.noteAll('messages.tool_calls', rest);
  const called = functionCallOf(call);
  if (called !== null) return { type: 'function_call', call_id: called.id, name: called.name, arguments: called.arguments };
  if (type === 'custom' && isObject(custom))
    return { type: 'custom_tool_call', call_id: id, name: custom.name ?? '', input: custom.input ?? '' };
  throw unsupported('a tool call that does not call a function or custom tool');
}

function resultOf({ tool_call_id, content }: ChatMessage, custom: ReadonlySet<string>, lost: Lost): JsonObject {
  if (typeof tool_call_id !== 'string') throw unsupported('a tool result without tool_call_id');
  const type = custom.has(tool_call_id) ? 'custom_tool_call_output' : 'function_call_output';
  return { type, call_id: tool_call_id, output: contentOf(content, lost) };
}
