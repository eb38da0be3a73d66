import type { JsonObject, JsonValue } from '@svc/sdk';
import { isObject } from '@svc/toolkit/upstream';

/**
 * Converts content that is a list of parts, as Mistral's models send it. Text parts become `content`, and `thinking` parts become
 * `reasoning_content`. Other parts, such as references, stay in `content_parts`. A list that contains anything but parts is left unchanged; the shape
 * check rejects it.
 */
export function joinContentParts(message: JsonObject): void {
  if (!Array.isArray(message.content) || !message.content.every(isPart)) return;
  let content = '';
  let reasoning = '';
  const others: JsonObject[] = [];
  for (const part of message.content) {
    const text = textOf(part, 'text');
    const thinking = thinkingOf(part);
    if (text === undefined && thinking === undefined) others.push(part);
    content += text ?? '';
    reasoning += thinking ?? '';
  }
  message.content = content;
  if (others.length > 0) message.content_parts = others;
  if (reasoning === '') return;
  message.reasoning_content = typeof message.reasoning_content === 'string' ? message.reasoning_content + reasoning : reasoning;
}

/** Whether any part is not text. */
export function hasOtherParts(content: unknown): boolean {
  return Array.isArray(content) && content.every(isPart) && content.some(({ type }) => type !== 'text');
}

function isPart(part: unknown): part is JsonObject {
  return isObject(part) && typeof part.type === 'string';
}

function textOf(part: JsonValue, type: string): string | undefined {
  return isObject(part) && part.type === type && typeof part.text === 'string' ? part.text : undefined;
}

function thinkingOf(part: JsonObject): string | undefined {
  if (part.type !== 'thinking') return undefined;
  if (typeof part.thinking === 'string') return part.thinking;
  if (!Array.isArray(part.thinking)) return undefined;
  const texts = part.thinking.map((inner) => textOf(inner, 'text'));
  return texts.every((text) => text !== undefined) ? texts.join('') : undefined;
}
