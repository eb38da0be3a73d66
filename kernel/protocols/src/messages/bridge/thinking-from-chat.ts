import { type ChatMessage, isObject, type JsonObject } from '@svc/contracts';
import { isText } from '../../common/json-shapes.ts';
import type { Lost } from '../../common/lost.ts';
import type { Block } from './parts-from-chat.ts';

/** The thinking blocks that the API accepts back, in order. Other blocks are not sent, such as those that a guard edited. */
export function thinkingFromChat({ thinking_blocks, reasoning_content, reasoning }: ChatMessage, lost: Lost): Block[] {
  const given: unknown[] = Array.isArray(thinking_blocks) ? thinking_blocks : [];
  const blocks = given.flatMap((block) => blockOf(block) ?? []);
  if (blocks.length < given.length) lost.note('messages', 'thinking_blocks');
  // Other fields repeat the text of the blocks.
  const signed = blocks.map(({ thinking }) => (typeof thinking === 'string' ? thinking : '')).join('');
  for (const [name, text] of Object.entries({ reasoning_content, reasoning }))
    if (typeof text !== 'string' || !signed.includes(text)) lost.noteAll('messages', { [name]: text });
  return blocks;
}

/** A block in the form that the API accepts back. Null for other blocks, and for unsigned thinking. */
export function blockOf(block: unknown): Block | null {
  if (!isObject(block)) return null;
  const { type, thinking, signature, data } = block;
  if (type === 'thinking' && typeof thinking === 'string' && isText(signature)) return { type, thinking, signature };
  return type === 'redacted_thinking' && isText(data) ? { type, data } : null;
}

const EFFORTS: ReadonlyMap<unknown, string> = new Map([
  ['minimal', 'low'],
  ['low', 'low'],
  ['medium', 'medium'],
  ['high', 'high'],
  ['xhigh', 'xhigh'],
  ['max', 'max'],
]);

/**
 * Converts `reasoning_effort` to thinking with this effort, or to no thinking. If the request sets `thinking` itself, only the effort is added. Null:
 * the API does not have such an effort.
 */
export function effortOf(reasoning_effort: unknown, hasThinking: boolean): JsonObject | null {
  if (reasoning_effort === 'none') return hasThinking ? {} : { thinking: { type: 'disabled' } };
  const effort = EFFORTS.get(reasoning_effort);
  if (effort === undefined) return null;
  return { ...(!hasThinking && { thinking: { type: 'adaptive' } }), output_config: { effort } };
}
