import type { ChatMessage, JsonObject } from '@svc/sdk';
import { isObject } from '@svc/toolkit/upstream';
import type { Block } from './parts.ts';

/** Blocks of thinking that the API takes back, in their order. `lost`: others, such as those that a guard edited, are not sent. */
export function thinkingOf({ thinking_blocks, reasoning_content, reasoning }: ChatMessage): { blocks: Block[]; lost: boolean } {
  const given: unknown[] = Array.isArray(thinking_blocks) ? thinking_blocks : [];
  const blocks = given.flatMap((block) => blockOf(block) ?? []);
  // The text of a block is in the other fields, too.
  const isSaid = blocks.length > 0 || (isEmpty(reasoning_content) && isEmpty(reasoning));
  return { blocks, lost: blocks.length < given.length || !isSaid };
}

function blockOf(block: unknown): Block | null {
  if (!isObject(block)) return null;
  const { type, thinking, signature, data } = block;
  if (type === 'thinking' && typeof thinking === 'string' && isFilled(signature)) return { type, thinking, signature };
  return type === 'redacted_thinking' && isFilled(data) ? { type, data } : null;
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '';
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
 * What `reasoning_effort` asks for: thinking, as much as the model wants at this effort, or none. Where the request says itself whether to
 * think, or is in the words of the Messages API, only the effort. Null: the API has no such effort.
 */
export function effortOf(reasoning_effort: unknown, saysThinking: boolean): JsonObject | null {
  if (reasoning_effort === 'none') return saysThinking ? {} : { thinking: { type: 'disabled' } };
  const effort = EFFORTS.get(reasoning_effort);
  if (effort === undefined) return null;
  return { ...(!saysThinking && { thinking: { type: 'adaptive' } }), output_config: { effort } };
}
