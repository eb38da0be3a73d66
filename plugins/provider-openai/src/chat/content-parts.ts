import type { JsonObject, JsonValue } from '@svc/sdk';
import { isObject } from '@svc/toolkit/upstream';

/**
 * Makes text of an answer's content that is a list of parts, as Mistral's reasoning models give it: text parts become `content`, parts
 * of type `thinking` become `reasoning_content`. A list with any other part is left to the check of the shape.
 */
export function joinContentParts(message: JsonObject): void {
  if (!Array.isArray(message.content)) return;
  let content = '';
  let reasoning = '';
  for (const part of message.content) {
    const text = textOf(part, 'text');
    const thinking = text === undefined ? thinkingOf(part) : undefined;
    if (text === undefined && thinking === undefined) return;
    content += text ?? '';
    reasoning += thinking ?? '';
  }
  message.content = content;
  if (reasoning === '') return;
  message.reasoning_content = typeof message.reasoning_content === 'string' ? message.reasoning_content + reasoning : reasoning;
}

function textOf(part: JsonValue, type: string): string | undefined {
  return isObject(part) && part.type === type && typeof part.text === 'string' ? part.text : undefined;
}

function thinkingOf(part: JsonValue): string | undefined {
  if (!isObject(part) || part.type !== 'thinking') return undefined;
  if (typeof part.thinking === 'string') return part.thinking;
  if (!Array.isArray(part.thinking)) return undefined;
  const texts = part.thinking.map((inner) => textOf(inner, 'text'));
  return texts.every((text) => text !== undefined) ? texts.join('') : undefined;
}
