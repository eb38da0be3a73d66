import type { ChatMessage, ChatRequest } from '@svc/sdk';
import { isObject } from '@svc/toolkit/upstream';

/**
 * Fields of the chat format that are not OpenAI's but stand for Anthropic's Messages API, in which other servers refuse what they do not know.
 * A server that takes one is configured so.
 */
export const EXTENSIONS = [
  'thinking',
  'thinking_blocks',
  'cache_control',
  'context_management',
  'output_config',
  'anthropic_beta',
] as const;
export type Extension = (typeof EXTENSIONS)[number];

/** The request without the extensions that the server does not take, and where they stood. */
export function withoutExtensions(
  request: ChatRequest,
  taken: readonly Extension[],
): { request: ChatRequest; unsupported: readonly string[] } {
  const dropped = EXTENSIONS.filter((name) => !taken.includes(name));
  const places = new Set<string>();
  // It says in whose words the request is, and asks for nothing.
  const { anthropic_version: _, ...asked } = request;
  const fields = without(asked, dropped, '', places);
  const messages = fields.messages.map((message) => plainMessage(message, dropped, places));
  const tools = partsWithout(fields.tools, dropped, 'tools', places);
  return { request: { ...fields, messages, ...(tools === undefined ? {} : { tools }) }, unsupported: [...places] };
}

function plainMessage(message: ChatMessage, dropped: readonly Extension[], places: Set<string>): ChatMessage {
  const fields = without(message, dropped, 'messages', places);
  const content = Array.isArray(message.content) ? partsWithout(message.content, dropped, 'messages', places) : fields.content;
  const tool_calls = partsWithout(fields.tool_calls, dropped, 'messages', places);
  // Thinking alone was all that it had.
  const isEmpty = fields !== message && content == null && tool_calls == null;
  return {
    ...fields,
    ...(isEmpty ? { content: '' } : content !== message.content && { content: plainest(content) }),
    ...(tool_calls !== fields.tool_calls && { tool_calls }),
  } as ChatMessage;
}

/** The list itself where nothing is dropped, and what is no list. */
function partsWithout(parts: unknown, dropped: readonly Extension[], place: string, places: Set<string>): unknown {
  if (!Array.isArray(parts)) return parts;
  const after = parts.map((part: unknown) => (isObject(part) ? without(part, dropped, place, places) : part));
  return after.some((part, at) => part !== parts[at]) ? after : parts;
}

function without<T extends object>(fields: T, dropped: readonly Extension[], place: string, places: Set<string>): T {
  const found = dropped.filter((name) => Object.hasOwn(fields, name));
  if (found.length === 0) return fields;
  for (const name of found) if (says(name, Reflect.get(fields, name))) places.add(place === '' ? name : `${place}.${name}`);
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !found.includes(name as Extension))) as T;
}

/** Not to think is what happens anyway. */
function says(name: Extension, value: unknown): boolean {
  if (value === null || value === undefined) return false;
  return name !== 'thinking' || !isObject(value) || value.type !== 'disabled';
}

/** A text that stands alone is given as such: not every server takes parts everywhere. */
function plainest(content: unknown): unknown {
  const [first, ...others] = Array.isArray(content) ? content : [];
  const isText = others.length === 0 && isObject(first) && first.type === 'text' && Object.keys(first).length === 2;
  return isText && typeof first.text === 'string' ? first.text : content;
}
