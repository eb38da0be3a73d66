import type { ChatMessage, ChatRequest } from '@svc/sdk';
import { textOrParts } from '@svc/sdk/protocol';
import { isObject } from '@svc/toolkit/upstream';

/**
 * Fields of the chat format that come from Anthropic's Messages API and not from OpenAI. Many servers reject unknown fields, so the configuration
 * lists those that a server accepts.
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

/** Removes extensions that the server does not accept, and returns their places. */
export function withoutExtensions(
  request: ChatRequest,
  taken: readonly Extension[],
): { request: ChatRequest; unsupported: readonly string[] } {
  const places: string[] = [];
  // This field only names the version of the request's API.
  const { anthropic_version: _, ...asked } = request;
  const fields = without(asked, taken, '', places);
  fields.messages = fields.messages.map((message) => plainMessage(message, taken, places));
  if (Array.isArray(fields.tools)) fields.tools = partsWithout(fields.tools, taken, 'tools', places);
  return { request: fields, unsupported: places };
}

function plainMessage(message: ChatMessage, taken: readonly Extension[], places: string[]): ChatMessage {
  const fields = without(message, taken, 'messages', places);
  const { content, tool_calls } = fields;
  const contentLeft = Array.isArray(content) ? partsWithout(content, taken, 'messages', places) : content;
  const callsLeft = Array.isArray(tool_calls) ? partsWithout(tool_calls, taken, 'messages', places) : tool_calls;
  if (fields === message && contentLeft === content && callsLeft === tool_calls) return message;
  // The message consisted of thinking only.
  const isEmpty = fields !== message && content == null && tool_calls == null;
  return {
    ...fields,
    ...(isEmpty
      ? { content: '' }
      : Array.isArray(contentLeft) && contentLeft !== content && { content: textOrParts(contentLeft) }),
    ...(callsLeft !== tool_calls && { tool_calls: callsLeft }),
  } as ChatMessage;
}

/** Returns the list itself if nothing is removed. */
function partsWithout<T>(parts: T[], taken: readonly Extension[], place: string, places: string[]): T[] {
  const after = parts.map((part) => (isObject(part) ? without(part, taken, place, places) : part));
  return after.some((part, at) => part !== parts[at]) ? after : parts;
}

/** Returns the object itself if nothing is removed. */
function without<T extends object>(fields: T, taken: readonly Extension[], place: string, places: string[]): T {
  let left = fields;
  for (const name of EXTENSIONS) {
    if (!Object.hasOwn(fields, name) || taken.includes(name)) continue;
    const path = place === '' ? name : `${place}.${name}`;
    if (hasEffect(name, Reflect.get(fields, name)) && !places.includes(path)) places.push(path);
    if (left === fields) left = { ...fields };
    Reflect.deleteProperty(left, name);
  }
  return left;
}

/** `thinking: disabled` has no effect, because it is the default. */
function hasEffect(name: Extension, value: unknown): boolean {
  if (value === null || value === undefined) return false;
  return name !== 'thinking' || !isObject(value) || value.type !== 'disabled';
}
