import type { ChatMessage, JsonObject, ToolCall } from '@svc/sdk';
import { functionCallOf, isObject } from '@svc/toolkit/upstream';
import { reasoningItems } from './reasoning.ts';
import { refused } from './refused.ts';

/** Fields of a message that have a place here, by its role. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  assistant: ['role', 'content', 'refusal', 'tool_calls', 'reasoning_details'],
  tool: ['role', 'content', 'tool_call_id'],
};

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);

/**
 * The messages of a conversation as items. `lost`: some have fields without a place here, such as a `name`.
 * @throws {ProviderError} `invalid_request` for what the API does not take
 */
export function inputOf(messages: readonly ChatMessage[]): { items: JsonObject[]; lost: boolean } {
  const items: JsonObject[] = [];
  /** Calls of custom tools: their results are items of another type. */
  const custom = new Set<string>();
  let lost = false;
  for (const message of messages) {
    const known = FIELDS[message.role] ?? ['role', 'content'];
    lost ||= Object.entries(message).some(([field, value]) => !known.includes(field) && !isEmpty(value));
    switch (message.role) {
      case 'system':
      case 'developer':
      case 'user':
        items.push({ type: 'message', role: message.role, content: contentOf(message.content) });
        break;
      case 'assistant': {
        const reasoning = reasoningItems(message.reasoning_details as JsonObject[] | undefined);
        lost ||= reasoning.lost;
        items.push(...reasoning.items, ...saidIn(message));
        for (const call of message.tool_calls ?? []) {
          if (call.type === 'custom') custom.add(call.id);
          items.push(callOf(call));
        }
        break;
      }
      case 'tool':
        items.push(resultOf(message, custom));
        break;
      default:
        throw refused('a role that the API has not');
    }
  }
  return { items, lost };
}

function contentOf(content: ChatMessage['content']): string | JsonObject[] {
  return Array.isArray(content) ? content.map(partOf) : (content ?? '');
}

function partOf(part: unknown): JsonObject {
  if (!isObject(part)) throw refused('a part that is none');
  const { image_url, file } = part;
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text ?? '' };
    case 'image_url':
      if (!isObject(image_url)) throw refused('an image without its address');
      return { type: 'input_image', image_url: image_url.url ?? null, detail: image_url.detail ?? 'auto' };
    case 'file':
      if (!isObject(file)) throw refused('a file that is none');
      return { type: 'input_file', ...file };
    default:
      throw refused('a part that is neither text, an image nor a file');
  }
}

/** What a model said, as one item; none where it said nothing. */
function saidIn({ content, refusal }: ChatMessage): JsonObject[] {
  const parts = typeof content === 'string' ? (content === '' ? [] : [{ type: 'text', text: content }]) : (content ?? []);
  const said: readonly unknown[] = [...parts, ...(typeof refusal === 'string' ? [{ type: 'refusal', refusal }] : [])];
  const items = said.map((part): JsonObject => {
    if (isObject(part) && part.type === 'text') return { type: 'output_text', text: part.text ?? '' };
    if (isObject(part) && part.type === 'refusal') return { type: 'refusal', refusal: part.refusal ?? '' };
    throw refused('a part of an answer that is neither text nor a refusal');
  });
  return items.length === 0 ? [] : [{ type: 'message', role: 'assistant', content: items }];
}

function callOf(call: ToolCall): JsonObject {
  const called = functionCallOf(call);
  if (called !== null) return { type: 'function_call', call_id: called.id, name: called.name, arguments: called.arguments };
  const { id, type, custom } = call;
  if (type === 'custom' && isObject(custom))
    return { type: 'custom_tool_call', call_id: id, name: custom.name ?? '', input: custom.input ?? '' };
  throw refused('a tool call that calls neither a function nor a custom tool');
}

function resultOf({ tool_call_id, content }: ChatMessage, custom: ReadonlySet<string>): JsonObject {
  if (typeof tool_call_id !== 'string') throw refused('a tool result without the id of its call');
  const type = custom.has(tool_call_id) ? 'custom_tool_call_output' : 'function_call_output';
  return { type, call_id: tool_call_id, output: contentOf(content) };
}
